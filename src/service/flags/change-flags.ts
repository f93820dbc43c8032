import type { Json } from '../../wire/json.ts'
import { isRecord } from '../ingest/request.ts'
import type { NewFlag } from '../store/metadata/flags.ts'
import { readFlagSettings, removeFlag, saveFlags, touchFlagSettings } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { parseDefinition } from './parse-definition.ts'

/** Definitions that cannot be taken. The message says which one, where and why; nothing was changed. */
export class FlagError extends Error {
  override readonly name: string = 'FlagError'
}

interface FlagFile {
  readonly flags: readonly NewFlag[]
  readonly groupTypes: Readonly<Record<string, string>> | undefined
}

/** One definition, an array of them, or the definitions feed: `{"flags": […], "group_type_mapping": {"0": "company"}}`. */
const parseFlagFile = (given: Json): FlagFile => {
  const feed = isRecord(given) && given['flags'] !== undefined ? given : undefined
  const list = feed ? feed['flags'] : Array.isArray(given) ? given : [given]
  if (!Array.isArray(list)) throw new FlagError('"flags" must be an array of definitions.')
  const flags = list.map((each: Json, index: number) => {
    const flag = parseDefinition(each)
    if (typeof flag !== 'string') return flag
    const name = isRecord(each) && typeof each['key'] === 'string' ? `"${each['key']}"` : `number ${index + 1}`
    throw new FlagError(`Flag ${name}: ${flag}.`)
  })
  const keys = new Set<string>()
  for (const { key } of flags) {
    if (keys.has(key)) throw new FlagError(`Flag "${key}" is given twice.`)
    keys.add(key)
  }
  const groupTypes = feed?.['group_type_mapping']
  if (groupTypes === undefined || groupTypes === null) return { flags, groupTypes: undefined }
  if (!isRecord(groupTypes)) throw new FlagError('"group_type_mapping" must be an object of index to group type.')
  const types: Record<string, string> = {}
  for (const [index, type] of Object.entries(groupTypes)) {
    if (!/^\d+$/.test(index) || typeof type !== 'string' || type === '')
      throw new FlagError(`"group_type_mapping.${index}" must be a number that names a group type.`)
    types[index] = type
  }
  return { flags, groupTypes: types }
}

/**
 * Creates or replaces flags from JSON: all or none, in the transaction that is given or one of its own. Flags that the
 * JSON does not name stay.
 *
 * @param now Milliseconds since 1970.
 * @returns The keys, as given.
 * @throws FlagError
 */
export const setFlags = async (metadata: Metadata, projectId: number, json: Json, now: number): Promise<string[]> => {
  const { flags, groupTypes } = parseFlagFile(json)
  const write = async (transaction: Metadata): Promise<void> => {
    const types = groupTypes ?? (await readFlagSettings(transaction, projectId)).groupTypes
    for (const { key, filters } of flags) {
      const index = filters.aggregation_group_type_index ?? undefined
      if (index !== undefined && types[index] === undefined)
        throw new FlagError(`Flag "${key}": "group_type_mapping" does not say which group type ${index} is.`)
    }
    await saveFlags(transaction, projectId, flags, now)
    await touchFlagSettings(transaction, projectId, groupTypes && { groupTypes })
  }
  await (metadata.isTransaction ? write(metadata) : metadata.transaction().execute(write))
  return flags.map(({ key }) => key)
}

/** @returns False when there was no such flag. */
export const deleteFlag = (metadata: Metadata, projectId: number, key: string): Promise<boolean> =>
  metadata.transaction().execute(async (transaction) => {
    const removed = await removeFlag(transaction, projectId, key)
    if (removed) await touchFlagSettings(transaction, projectId)
    return removed
  })

/** Marks the project's flag quota as used up, or not: clients then keep the flags they have. */
export const pauseFlags = (metadata: Metadata, projectId: number, isPaused: boolean): Promise<void> =>
  metadata.transaction().execute((transaction) => touchFlagSettings(transaction, projectId, { isPaused }))
