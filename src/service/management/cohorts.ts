import { parseCohort } from '../flags/definitions/parse-cohort.ts'
import { saveDefinitions } from '../flags/definitions/save-definitions.ts'
import { notFound } from '../refusal.ts'
import { findCohort, pageOfCohorts } from '../store/metadata/cohorts.ts'
import type { StoredCohort } from '../store/metadata/cohorts.ts'
import { readFlagSettings } from '../store/metadata/flag-settings.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { changeDefinitions, checkVersion, definitionBody, patched } from './change.ts'
import type { ManagementParts } from './change.ts'
import type { Resource } from './resource.ts'

const existingCohort = async (metadata: Metadata, projectId: number, id: string): Promise<StoredCohort> => {
  const cohort = /^\d{1,15}$/.test(id) ? await findCohort(metadata, projectId, Number(id)) : undefined
  if (cohort) return cohort
  throw notFound(`There is no cohort ${id} in this project.`)
}

/** Cohorts: conditions under a name that flags can refer to, with id, version and moments as flags have them. */
export const createCohorts = (parts: ManagementParts): Resource => {
  const { metadata, now } = parts
  return {
    path: 'cohorts',
    scope: 'cohort',
    list: async (projectId, page) => {
      const { count, items } = await pageOfCohorts(metadata, projectId, page)
      return { count, items: items.map(definitionBody) }
    },
    items: {
      read: async (projectId, id) => definitionBody(await existingCohort(metadata, projectId, id)),
      create: (projectId, body) =>
        changeDefinitions(parts, projectId, async (transaction, about) => {
          const cohort = parseCohort(body)
          const id = (await readFlagSettings(transaction, projectId)).lastCohortId + 1
          about({ kind: 'cohort', name: String(id) })
          await saveDefinitions(transaction, projectId, { cohorts: new Map([[id, cohort]]) }, now())
          return definitionBody(await existingCohort(transaction, projectId, String(id)))
        }),
      update: (projectId, id, body) =>
        changeDefinitions(parts, projectId, async (transaction, about) => {
          const stored = await existingCohort(transaction, projectId, id)
          checkVersion(stored, body)
          const cohort = parseCohort(patched(stored, body))
          about({ kind: 'cohort', name: String(stored.id) })
          await saveDefinitions(transaction, projectId, { cohorts: new Map([[stored.id, cohort]]) }, now())
          return definitionBody(await existingCohort(transaction, projectId, id))
        }),
      remove: (projectId, id) =>
        changeDefinitions(parts, projectId, async (transaction) => {
          const cohort = await existingCohort(transaction, projectId, id)
          await saveDefinitions(transaction, projectId, { removedCohort: cohort.id }, now())
        }),
    },
  }
}
