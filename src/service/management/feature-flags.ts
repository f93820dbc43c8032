import type { JsonObject } from '../../wire/json.ts'
import { FLAG_SHAPE } from '../flags/definitions/flag-shape.ts'
import { parseFlag } from '../flags/definitions/parse-flag.ts'
import { refuseNegation } from '../flags/definitions/refuse-negation.ts'
import { refusePartialVariants } from '../flags/definitions/refuse-partial-variants.ts'
import { saveDefinitions } from '../flags/definitions/save-definitions.ts'
import { badRequest, notFound } from '../http-error.ts'
import { findFlag, listFlagsPage, loadFlags } from '../store/metadata/flags.ts'
import type { StoredFlag } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { changeDefinitions, checkVersion, toDefinitionBody, applyPatch } from './change.ts'
import type { ManagementContext } from './change.ts'
import { checkSentBody, withWarnings } from './check-sent-body.ts'
import type { Resource } from './resource.ts'
import { FeatureFlagChange, FeatureFlagInput, FeatureFlagListQuery, FeatureFlagSchema } from './schema/feature-flag.ts'
import { parseNumericId } from '../parse-numeric-id.ts'

/** Returns a flag by id or key, also a deleted one. A string of digits is always an id. Throws `HttpError` (404). */
export const getFlag = async (metadata: Metadata, projectId: number, id: string): Promise<StoredFlag> => {
  const flag = await findFlag(metadata, projectId, parseNumericId(id) ?? id)
  if (flag) return flag
  throw notFound(`This project has no feature flag with the id or key "${id}". GET the list to see all flags.`)
}

/** Returns the response body for a flag that was just saved. */
const readFlagBody = async (transaction: Metadata, projectId: number, key: string): Promise<object> =>
  toDefinitionBody((await findFlag(transaction, projectId, key))!)

const SENT = { noun: 'a feature flag', shape: FLAG_SHAPE, isKept: true } as const

const checkKeyUnused = async (transaction: Metadata, projectId: number, key: string): Promise<void> => {
  const existing = await findFlag(transaction, projectId, key)
  if (!existing) return
  const hint = existing.definition.deleted
    ? 'Restore it with {"deleted": false}, or DELETE it.'
    : 'PATCH that flag to change it.'
  throw badRequest(
    'unique',
    `This project already has a feature flag "${key}", with the id ${existing.id}. ${hint}`,
    'key',
  )
}

/** Whether a list with these parameters shows a flag. */
const isFound = ({ definition }: StoredFlag, { search, active }: JsonObject): boolean => {
  const { key, name = '', deleted } = definition
  const part = typeof search === 'string' ? search.toLowerCase() : ''
  const isNamed = [key, name].some((each) => each.toLowerCase().includes(part))
  return deleted !== true && isNamed && (typeof active !== 'boolean' || definition.active === active)
}

/** Feature flags: their definitions, with id, version and the times of their creation and last change. */
export const createFeatureFlags = (context: ManagementContext): Resource => {
  const { metadata, now } = context
  return {
    path: 'feature_flags',
    scope: 'feature_flag',
    description: {
      noun: 'feature flag',
      id: 'Id or key of the flag.',
      item: FeatureFlagSchema,
      listQuery: FeatureFlagListQuery,
      create: FeatureFlagInput,
      change: FeatureFlagChange,
    },
    list: async (projectId, page, query) => {
      if (query['search'] === undefined && query['active'] === undefined) {
        const { count, items } = await listFlagsPage(metadata, projectId, page)
        return { count, items: items.map(toDefinitionBody) }
      }
      const found = (await loadFlags(metadata, projectId)).filter((flag) => isFound(flag, query))
      const items = found.slice(page.offset, page.offset + page.limit).map(toDefinitionBody)
      return { count: found.length, items }
    },
    items: {
      read: async (projectId, id) => toDefinitionBody(await getFlag(metadata, projectId, id)),
      create: (request, body) =>
        changeDefinitions(context, request, async (transaction, setSubject) => {
          const { projectId } = request
          const warnings = checkSentBody(body, SENT)
          const flag = parseFlag(body)
          refuseNegation(flag)
          refusePartialVariants(flag)
          setSubject({ kind: 'flag', name: flag.key })
          await checkKeyUnused(transaction, projectId, flag.key)
          await saveDefinitions(transaction, projectId, { flags: [flag] }, now())
          return withWarnings(await readFlagBody(transaction, projectId, flag.key), warnings)
        }),
      update: (request, id, body) =>
        changeDefinitions(context, request, async (transaction, setSubject) => {
          const { projectId } = request
          const stored = await getFlag(transaction, projectId, id)
          checkVersion(stored, body)
          const warnings = checkSentBody(body, { ...SENT, stored: applyPatch(stored, {}) })
          const flag = parseFlag(applyPatch(stored, body), stored.definition)
          refuseNegation(flag, stored.definition)
          refusePartialVariants(flag, stored.definition)
          setSubject({ kind: 'flag', name: flag.key })
          const { key } = stored.definition
          if (flag.key !== key) await checkKeyUnused(transaction, projectId, flag.key)
          const renamed = flag.key === key ? {} : { renamed: { id: stored.id, from: key, to: flag.key } }
          await saveDefinitions(transaction, projectId, { flags: [flag], ...renamed }, now())
          return withWarnings(await readFlagBody(transaction, projectId, flag.key), warnings)
        }),
      remove: (request, id) =>
        changeDefinitions(context, request, async (transaction) => {
          const { projectId } = request
          const { definition } = await getFlag(transaction, projectId, id)
          await saveDefinitions(transaction, projectId, { removedFlag: definition.key }, now())
        }),
    },
  }
}
