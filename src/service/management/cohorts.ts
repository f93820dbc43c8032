import { COHORT_SHAPE } from '../flags/definitions/condition-shape.ts'
import { parseCohort } from '../flags/definitions/parse-cohort.ts'
import { saveDefinitions } from '../flags/definitions/save-definitions.ts'
import { notFound } from '../http-error.ts'
import { findCohort, listCohortsPage } from '../store/metadata/cohorts.ts'
import type { StoredCohort } from '../store/metadata/cohorts.ts'
import { readFlagSettings } from '../store/metadata/flag-settings.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { changeDefinitions, checkVersion, toDefinitionBody, applyPatch } from './change.ts'
import type { ManagementContext } from './change.ts'
import { checkSentBody, withWarnings } from './check-sent-body.ts'
import type { Resource } from './resource.ts'
import { CohortChange, CohortInput, CohortSchema } from './schema/cohort.ts'
import { parseNumericId } from '../parse-numeric-id.ts'

const getCohort = async (metadata: Metadata, projectId: number, id: string): Promise<StoredCohort> => {
  const number = parseNumericId(id)
  const cohort = number === null ? undefined : await findCohort(metadata, projectId, number)
  if (cohort) return cohort
  throw notFound(`This project has no cohort with the id ${id}. GET the list to see all ids.`)
}

const SENT = { noun: 'a cohort', shape: COHORT_SHAPE, isKept: true } as const

/** Cohorts: named conditions that flags can refer to, with id, version and timestamps as for flags. */
export const createCohorts = (context: ManagementContext): Resource => {
  const { metadata, now } = context
  return {
    path: 'cohorts',
    scope: 'cohort',
    description: {
      noun: 'cohort',
      id: 'Id of the cohort.',
      item: CohortSchema,
      create: CohortInput,
      change: CohortChange,
    },
    list: async (projectId, page) => {
      const { count, items } = await listCohortsPage(metadata, projectId, page)
      return { count, items: items.map(toDefinitionBody) }
    },
    items: {
      read: async (projectId, id) => toDefinitionBody(await getCohort(metadata, projectId, id)),
      create: (request, body) =>
        changeDefinitions(context, request, async (transaction, setSubject) => {
          const { projectId } = request
          const warnings = checkSentBody(body, SENT)
          const cohort = parseCohort(body)
          const id = (await readFlagSettings(transaction, projectId)).lastCohortId + 1
          setSubject({ kind: 'cohort', name: String(id) })
          await saveDefinitions(transaction, projectId, { cohorts: new Map([[id, cohort]]) }, now())
          return withWarnings(toDefinitionBody(await getCohort(transaction, projectId, String(id))), warnings)
        }),
      update: (request, id, body) =>
        changeDefinitions(context, request, async (transaction, setSubject) => {
          const { projectId } = request
          const stored = await getCohort(transaction, projectId, id)
          checkVersion(stored, body)
          const warnings = checkSentBody(body, { ...SENT, stored: applyPatch(stored, {}) })
          const cohort = parseCohort(applyPatch(stored, body))
          setSubject({ kind: 'cohort', name: String(stored.id) })
          await saveDefinitions(transaction, projectId, { cohorts: new Map([[stored.id, cohort]]) }, now())
          return withWarnings(toDefinitionBody(await getCohort(transaction, projectId, id)), warnings)
        }),
      remove: (request, id) =>
        changeDefinitions(context, request, async (transaction) => {
          const { projectId } = request
          const cohort = await getCohort(transaction, projectId, id)
          await saveDefinitions(transaction, projectId, { removedCohort: cohort.id }, now())
        }),
    },
  }
}
