import { readFlagSettings, saveFlagSettings, touchFlagSettings } from './flag-settings.ts'
import type { Metadata } from './open.ts'

/**
 * Maximum number of group types that events may create in a project, which is the limit of the protocol. The project key is
 * public, so anyone can send new types. Users who may write flags can create more.
 */
export const MAX_GROUP_TYPES_FROM_EVENTS = 5

/** Maximum length of a group type that gets an index, in UTF-16 code units. */
export const MAX_GROUP_TYPE_LENGTH = 400

/** Group types without an index. */
export interface UnmappedGroupTypes {
  /** Types to which events may assign an index, in order. */
  readonly accepted: readonly string[]
  /** Types beyond the limit of the project. */
  readonly refused: readonly string[]
}

/** Finds the group types that have no index yet, in order. Types longer than `MAX_GROUP_TYPE_LENGTH` are left out. */
export const findUnmappedGroupTypes = async (
  metadata: Metadata,
  projectId: number,
  types: readonly string[],
): Promise<UnmappedGroupTypes> => {
  if (types.length === 0) return { accepted: [], refused: [] }
  const mappedTypes = Object.values((await readFlagSettings(metadata, projectId)).groupTypes)
  const unmappedTypes = types.filter((type) => type.length <= MAX_GROUP_TYPE_LENGTH && !mappedTypes.includes(type))
  const freeIndexes = Math.max(0, MAX_GROUP_TYPES_FROM_EVENTS - mappedTypes.length)
  return { accepted: unmappedTypes.slice(0, freeIndexes), refused: unmappedTypes.slice(freeIndexes) }
}

/** Adds a group type under the lowest free index. */
export const addGroupType = (
  groupTypes: Readonly<Record<string, string>>,
  type: string,
): { readonly index: number; readonly groupTypes: Readonly<Record<string, string>> } => {
  let index = 0
  while (Object.hasOwn(groupTypes, index)) index++
  return { index, groupTypes: { ...groupTypes, [index]: type } }
}

/** Assigns indexes to group types, up to the limit for events. Call it inside a transaction. */
export const mapGroupTypes = async (
  transaction: Metadata,
  projectId: number,
  types: readonly string[],
): Promise<void> => {
  const settings = await touchFlagSettings(transaction, projectId)
  // Checked again inside the transaction: another writer may have mapped some of them.
  const { accepted } = await findUnmappedGroupTypes(transaction, projectId, types)
  const groupTypes = accepted.reduce((mapped, type) => addGroupType(mapped, type).groupTypes, settings.groupTypes)
  await saveFlagSettings(transaction, projectId, { groupTypes })
}
