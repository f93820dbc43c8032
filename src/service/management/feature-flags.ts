import { parseDefinition } from '../flags/definitions/parse-definition.ts'
import { saveDefinitions } from '../flags/definitions/save-definitions.ts'
import { invalid, notFound } from '../refusal.ts'
import { findFlag, pageOfFlags } from '../store/metadata/flags.ts'
import type { StoredFlag } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { changeDefinitions, checkVersion, definitionBody, patched } from './change.ts'
import type { ManagementParts } from './change.ts'
import type { Resource } from './resource.ts'

/** A flag by its number or its key, also a deleted one; of a key of digits alone only the number is believed. Throws `Refusal` (404). */
export const existingFlag = async (metadata: Metadata, projectId: number, id: string): Promise<StoredFlag> => {
  const flag = await findFlag(metadata, projectId, /^\d{1,15}$/.test(id) ? Number(id) : id)
  if (flag) return flag
  throw notFound(`There is no feature flag "${id}" in this project.`)
}

/** A flag that was just saved. */
const flagBody = async (transaction: Metadata, projectId: number, key: string): Promise<object> =>
  definitionBody((await findFlag(transaction, projectId, key))!)

const checkFree = async (transaction: Metadata, projectId: number, key: string): Promise<void> => {
  const taken = await findFlag(transaction, projectId, key)
  if (!taken) return
  const how = taken.given.deleted ? 'Restore it with {"deleted": false}, or DELETE it.' : 'PATCH changes it.'
  throw invalid('unique', `There is a feature flag "${key}" already, with the id ${taken.id}. ${how}`, 'key')
}

/** Feature flags: their definitions, with id, version and the moments of their creation and last change. */
export const createFeatureFlags = (parts: ManagementParts): Resource => {
  const { metadata, now } = parts
  return {
    path: 'feature_flags',
    scope: 'feature_flag',
    list: async (projectId, page) => {
      const { count, items } = await pageOfFlags(metadata, projectId, page)
      return { count, items: items.map(definitionBody) }
    },
    items: {
      read: async (projectId, id) => definitionBody(await existingFlag(metadata, projectId, id)),
      create: (projectId, body) =>
        changeDefinitions(parts, projectId, async (transaction, about) => {
          const flag = parseDefinition(body)
          about({ kind: 'flag', name: flag.key })
          await checkFree(transaction, projectId, flag.key)
          await saveDefinitions(transaction, projectId, { flags: [flag] }, now())
          return flagBody(transaction, projectId, flag.key)
        }),
      update: (projectId, id, body) =>
        changeDefinitions(parts, projectId, async (transaction, about) => {
          const stored = await existingFlag(transaction, projectId, id)
          checkVersion(stored, body)
          const flag = parseDefinition(patched(stored, body))
          about({ kind: 'flag', name: flag.key })
          const { key } = stored.given
          if (flag.key !== key) await checkFree(transaction, projectId, flag.key)
          const renamed = flag.key === key ? {} : { renamed: { id: stored.id, from: key, to: flag.key } }
          await saveDefinitions(transaction, projectId, { flags: [flag], ...renamed }, now())
          return flagBody(transaction, projectId, flag.key)
        }),
      remove: (projectId, id) =>
        changeDefinitions(parts, projectId, async (transaction) => {
          const { given } = await existingFlag(transaction, projectId, id)
          await saveDefinitions(transaction, projectId, { removedFlag: given.key }, now())
        }),
    },
  }
}
