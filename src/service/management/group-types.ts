import { must, textAt } from '../flags/definitions/check.ts'
import { saveDefinitions } from '../flags/definitions/save-definitions.ts'
import { invalid, notFound } from '../refusal.ts'
import { readFlagSettings } from '../store/metadata/flag-settings.ts'
import { MAX_TYPE_LENGTH, withGroupType } from '../store/metadata/group-types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { changeDefinitions } from './change.ts'
import type { ManagementParts } from './change.ts'
import type { Resource } from './resource.ts'

/** Most group types of a project: every client of the definitions reads them all. */
const MOST_GROUP_TYPES = 50

const groupTypeBody = (type: string, index: number): object => ({ group_type: type, group_type_index: index })

const groupTypesOf = async (metadata: Metadata, projectId: number): Promise<Readonly<Record<string, string>>> =>
  (await readFlagSettings(metadata, projectId)).groupTypes

const existingGroupType = (groupTypes: Readonly<Record<string, string>>, index: string): string => {
  const type = Object.hasOwn(groupTypes, index) ? groupTypes[index] : undefined
  if (type !== undefined) return type
  throw notFound(`There is no group type ${index} in this project.`)
}

/**
 * The group types of a project, each under the index by which flags name it. The first few come with events; a type keeps
 * its index until it is removed, which it can be while no flag is for it.
 */
export const createGroupTypes = (parts: ManagementParts): Resource => {
  const { metadata, now } = parts
  return {
    // The protocol's name.
    path: 'groups_types',
    scope: 'feature_flag',
    list: async (projectId, { limit, offset }) => {
      const all = Object.entries(await groupTypesOf(metadata, projectId))
        .map(([index, type]) => [type, Number(index)] as const)
        .sort(([, one], [, other]) => one - other)
      return { count: all.length, items: all.slice(offset, offset + limit).map((entry) => groupTypeBody(...entry)) }
    },
    items: {
      read: async (projectId, id) =>
        groupTypeBody(existingGroupType(await groupTypesOf(metadata, projectId), id), Number(id)),
      create: (projectId, body) =>
        changeDefinitions(parts, projectId, async (transaction) => {
          const type = textAt(body['group_type'], 'group_type', MAX_TYPE_LENGTH)
          const before = await groupTypesOf(transaction, projectId)
          if (Object.values(before).includes(type))
            throw invalid('unique', `There is a group type "${type}" already.`, 'group_type')
          must(
            Object.keys(before).length < MOST_GROUP_TYPES,
            'group_type',
            `would be one more than the ${MOST_GROUP_TYPES} that a project may have; DELETE one that no flag is for`,
          )
          const { index, groupTypes } = withGroupType(before, type)
          await saveDefinitions(transaction, projectId, { settings: { groupTypes } }, now())
          return groupTypeBody(type, index)
        }),
      remove: (projectId, id) =>
        changeDefinitions(parts, projectId, async (transaction) => {
          const before = await groupTypesOf(transaction, projectId)
          existingGroupType(before, id)
          const groupTypes = Object.fromEntries(Object.entries(before).filter(([index]) => index !== id))
          await saveDefinitions(transaction, projectId, { settings: { groupTypes } }, now())
        }),
    },
  }
}
