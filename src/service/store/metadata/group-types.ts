import { readFlagSettings, saveFlagSettings, touchFlagSettings } from './flag-settings.ts'
import type { Metadata } from './open.ts'

/**
 * Most group types that a project may have when an event gives an index to one more. Anybody who has the public project key
 * can send new types: the protocol's own number is for them, more are for those who may write flags.
 */
export const MOST_BY_EVENTS = 5

/** Longest group type that gets an index, in characters. */
export const MAX_TYPE_LENGTH = 400

/** Group types without an index. */
export interface UnmappedGroupTypes {
  /** Those that an event may give one, in their order. */
  readonly next: readonly string[]
  /** Those for which the project has too many already. */
  readonly refused: readonly string[]
}

/** Those of the group types, in their order, that have no index yet. */
export const unmappedGroupTypes = async (
  metadata: Metadata,
  projectId: number,
  types: readonly string[],
): Promise<UnmappedGroupTypes> => {
  if (types.length === 0) return { next: [], refused: [] }
  const known = Object.values((await readFlagSettings(metadata, projectId)).groupTypes)
  const unmapped = types.filter((type) => type.length <= MAX_TYPE_LENGTH && !known.includes(type))
  const room = Math.max(0, MOST_BY_EVENTS - known.length)
  return { next: unmapped.slice(0, room), refused: unmapped.slice(room) }
}

/** Group types with one more, which has the lowest index that was free. */
export const withGroupType = (
  groupTypes: Readonly<Record<string, string>>,
  type: string,
): { readonly index: number; readonly groupTypes: Readonly<Record<string, string>> } => {
  let index = 0
  while (Object.hasOwn(groupTypes, index)) index++
  return { index, groupTypes: { ...groupTypes, [index]: type } }
}

/** Gives those of the group types an index that events may give one. Call it inside a transaction. */
export const mapGroupTypes = async (
  transaction: Metadata,
  projectId: number,
  types: readonly string[],
): Promise<void> => {
  const settings = await touchFlagSettings(transaction, projectId)
  // Somebody else may have mapped some of them since they were looked for.
  const { next } = await unmappedGroupTypes(transaction, projectId, types)
  const groupTypes = next.reduce((known, type) => withGroupType(known, type).groupTypes, settings.groupTypes)
  await saveFlagSettings(transaction, projectId, { groupTypes })
}
