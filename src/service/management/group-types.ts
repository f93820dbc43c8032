import { readFlagSettings } from '../store/metadata/flag-settings.ts'
import type { ManagementParts } from './change.ts'
import type { Resource } from './resource.ts'

/** The group types of a project and the index by which flags name each. They come with events, or from a flag file. */
export const createGroupTypes = ({ metadata }: Pick<ManagementParts, 'metadata'>): Resource => ({
  path: 'groups_types',
  scope: 'feature_flag',
  list: async (projectId, { limit, offset }) => {
    const { groupTypes } = await readFlagSettings(metadata, projectId)
    const all = Object.entries(groupTypes)
      .map(([index, type]) => ({ group_type: type, group_type_index: Number(index) }))
      .sort((one, other) => one.group_type_index - other.group_type_index)
    return { count: all.length, items: all.slice(offset, offset + limit) }
  },
})
