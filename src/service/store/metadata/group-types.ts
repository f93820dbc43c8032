import { readFlagSettings, touchFlagSettings } from './flag-settings.ts'
import type { Metadata } from './open.ts'

/**
 * Most group types that events give an index to, per project: anybody who has the public project key can send new ones, and
 * every client of the definitions reads them all. Groups of further types are stored, and no flag can be for them.
 */
const MOST_GROUP_TYPES = 50

/** Longest group type that gets an index, in characters. */
const MAX_TYPE_LENGTH = 400

/** Those of the group types, in their order, that have no index yet and may get one. */
export const unmappedGroupTypes = async (
  metadata: Metadata,
  projectId: number,
  types: readonly string[],
): Promise<string[]> => {
  if (types.length === 0) return []
  const known = Object.values((await readFlagSettings(metadata, projectId)).groupTypes)
  return types
    .filter((type) => type.length <= MAX_TYPE_LENGTH && !known.includes(type))
    .slice(0, Math.max(0, MOST_GROUP_TYPES - known.length))
}

/** Gives each of the group types the lowest index that is free, unless it has one. Call it inside a transaction. */
export const mapGroupTypes = async (
  transaction: Metadata,
  projectId: number,
  types: readonly string[],
): Promise<void> => {
  const { groupTypes } = await touchFlagSettings(transaction, projectId)
  const mapped: Record<string, string> = { ...groupTypes }
  // Somebody else may have mapped some of them since they were looked for.
  for (const type of await unmappedGroupTypes(transaction, projectId, types)) {
    let index = 0
    while (Object.hasOwn(mapped, index)) index++
    mapped[index] = type
  }
  await touchFlagSettings(transaction, projectId, { groupTypes: mapped })
}
