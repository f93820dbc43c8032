import type { JsonObject } from '../../wire/json.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { loadGroups } from '../store/metadata/groups.ts'

/**
 * Reads the stored properties of groups, given and answered by group type. Groups that were never identified are not in
 * the answer. One indexed read; none when no groups are given.
 */
export const readGroups = async (
  metadata: Metadata,
  projectId: number,
  groups: Readonly<Record<string, string>>,
): Promise<Record<string, JsonObject>> => {
  const names = Object.entries(groups).map(([type, key]) => ({ type, key }))
  if (names.length === 0) return {}
  const found = await loadGroups(metadata, projectId, names)
  return Object.fromEntries(found.map((group) => [group.type, group.properties]))
}
