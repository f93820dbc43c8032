import { checkThat, parseString } from '../flags/definitions/check.ts'
import { saveDefinitions } from '../flags/definitions/save-definitions.ts'
import { badRequest, notFound } from '../http-error.ts'
import { readFlagSettings } from '../store/metadata/flag-settings.ts'
import { MAX_GROUP_TYPE_LENGTH, addGroupType } from '../store/metadata/group-types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { changeDefinitions } from './change.ts'
import type { ManagementContext } from './change.ts'
import type { Resource } from './resource.ts'
import { GroupTypeInput, GroupTypeSchema } from './schema/group-type.ts'

/** Maximum group types per project, because every client of the definitions downloads all of them. */
const MAX_GROUP_TYPES = 50

const toGroupTypeBody = (type: string, index: number): object => ({ group_type: type, group_type_index: index })

const readGroupTypes = async (metadata: Metadata, projectId: number): Promise<Readonly<Record<string, string>>> =>
  (await readFlagSettings(metadata, projectId)).groupTypes

const getGroupType = (groupTypes: Readonly<Record<string, string>>, index: string): string => {
  const type = Object.hasOwn(groupTypes, index) ? groupTypes[index] : undefined
  if (type !== undefined) return type
  throw notFound(`This project has no group type with the index ${index}. GET the list to see all group types.`)
}

/**
 * The group types of a project, each with the index that flags refer to. Events create the first few. A type keeps its index
 * until it is removed, which is possible while no flag uses it.
 */
export const createGroupTypes = (context: ManagementContext): Resource => {
  const { metadata, now } = context
  return {
    // This spelling is part of the protocol.
    path: 'groups_types',
    scope: 'feature_flag',
    description: {
      noun: 'group type',
      id: 'Index of the group type.',
      item: GroupTypeSchema,
      create: GroupTypeInput,
    },
    list: async (projectId, { limit, offset }) => {
      const entries = Object.entries(await readGroupTypes(metadata, projectId))
        .map(([index, type]) => [type, Number(index)] as const)
        .sort(([, a], [, b]) => a - b)
      return {
        count: entries.length,
        items: entries.slice(offset, offset + limit).map((entry) => toGroupTypeBody(...entry)),
      }
    },
    items: {
      read: async (projectId, id) =>
        toGroupTypeBody(getGroupType(await readGroupTypes(metadata, projectId), id), Number(id)),
      create: (request, body) =>
        changeDefinitions(context, request, async (transaction) => {
          const { projectId } = request
          const type = parseString(body['group_type'], 'group_type', MAX_GROUP_TYPE_LENGTH)
          const before = await readGroupTypes(transaction, projectId)
          if (Object.values(before).includes(type))
            throw badRequest('unique', `This project already has a group type "${type}".`, 'group_type')
          checkThat(
            Object.keys(before).length < MAX_GROUP_TYPES,
            'group_type',
            `would exceed the maximum of ${MAX_GROUP_TYPES} group types per project; DELETE one that no flag uses`,
          )
          const { index, groupTypes } = addGroupType(before, type)
          await saveDefinitions(transaction, projectId, { settings: { groupTypes } }, now())
          return toGroupTypeBody(type, index)
        }),
      remove: (request, id) =>
        changeDefinitions(context, request, async (transaction) => {
          const { projectId } = request
          const before = await readGroupTypes(transaction, projectId)
          getGroupType(before, id)
          const groupTypes = Object.fromEntries(Object.entries(before).filter(([index]) => index !== id))
          await saveDefinitions(transaction, projectId, { settings: { groupTypes } }, now())
        }),
    },
  }
}
