import type { JsonObject } from '../../wire/json.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { loadGroups } from '../store/metadata/groups.ts'

/**
 * Reads the stored properties of groups. One indexed read; none when `groups` is empty.
 *
 * @param groups group type to group key.
 * @returns group type to properties; groups that were never identified are missing.
 */
export const readGroups = async (
  metadata: Metadata,
  projectId: number,
  groups: Readonly<Record<string, string>>,
): Promise<Record<string, JsonObject>> => {
  const names = Object.entries(groups).map(([type, key]) => ({ type, key }))
  if (names.length === 0) return {}
  const storedGroups = await loadGroups(metadata, projectId, names)
  return Object.fromEntries(storedGroups.map((group) => [group.type, group.properties]))
}
