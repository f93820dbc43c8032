import type { Static } from 'typebox'
import * as Type from 'typebox'
import { getProject } from '../auth/request-access.ts'
import { isEmptyObject } from '../../wire/json.ts'
import { requestUrl } from '../http/request-url.ts'
import { notFound } from '../http-error.ts'
import { showActor } from '../insight/actors/answer-actors.ts'
import { askShorter, endPage } from '../insight/show-page.ts'
import { MATCH_ALL } from '../insight/filter/condition.ts'
import { loadFilterContext } from '../insight/filter/load-filter-context.ts'
import { toSelection } from '../insight/query/base.ts'
import type { ActorRecord } from '../insight/question/actors.ts'
import type { Group } from '../persons/person.ts'
import { PageQuery, UncountedListOf } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import { readFlagSettings } from '../store/metadata/flag-settings.ts'
import { loadGroups } from '../store/metadata/groups.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { toIsoTime } from '../to-iso-time.ts'
import type { Api } from './api.ts'
import type { AskStore } from './ask-store.ts'
import { findGroupType } from './find-group-type.ts'
import { readPage, toUncountedListBody } from './page.ts'
import { GroupListQuery, GroupQuery, GroupSchema } from './schema/group.ts'

/** Dependencies of the groups. */
export interface GroupsOptions {
  readonly metadata: Metadata
  readonly askStore: AskStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const PATH = '/groups/'
const TAGS = ['groups']
const READ = { access: { kind: 'personalKey', scope: 'group:read' } } as const

const toBody = (
  { key, properties, createdAt }: Pick<Group, 'key' | 'properties' | 'createdAt'>,
  index: number,
): Static<typeof GroupSchema> => ({
  group_type_index: index,
  group_key: key,
  group_properties: { ...properties },
  created_at: toIsoTime(createdAt),
})

/** Adds the groups that the events of a project have described. Events alone change them. */
export const addGroups = (api: Api, { metadata, askStore, now }: GroupsOptions): void => {
  const params = Type.Object(ProjectParams)

  api.get(
    PATH,
    {
      config: READ,
      schema: {
        operationId: 'groups_list',
        summary: 'Lists the groups of one type, in pages, the newest first',
        tags: TAGS,
        params,
        querystring: Type.Object({ ...PageQuery, ...GroupListQuery }),
        response: { 200: UncountedListOf(refTo(GroupSchema)) },
      },
    },
    async (request, reply) => {
      const { search, group_type_index: index, ...pageQuery } = request.query
      const page = readPage(pageQuery)
      const projectId = getProject(request).project.id
      const { groupTypes } = await readFlagSettings(metadata, projectId)
      // Before its first group a project has no types. The client did nothing wrong.
      if (isEmptyObject(groupTypes))
        return toUncountedListBody({ items: [], hasMore: false }, page, requestUrl(request))
      const type = await findGroupType(metadata, projectId, index)
      const context = await loadFilterContext(metadata, projectId, now())
      const answer = await askShorter(page.limit, (limit) =>
        askStore(request, reply, 'actors', {
          of: { kind: 'all', actor: { of: 'group', type } },
          persons: toSelection(MATCH_ALL, context),
          search: search?.trim() || null,
          order: [{ by: 'created_at', isDescending: true }],
          offset: page.offset,
          limit,
        }),
      )
      const shown = answer.actors.flatMap((actor: ActorRecord) => (actor.of === 'group' ? [showActor(actor)] : []))
      const actors = endPage(shown)
      const hasMore = answer.hasMore || actors.length < shown.length
      const items = actors.map((actor) => toBody(actor, index))
      // A page with large values ends early.
      const limit = hasMore ? answer.actors.length - shown.length + actors.length : page.limit
      return toUncountedListBody({ items, hasMore }, { ...page, limit }, requestUrl(request))
    },
  )

  api.get(
    `${PATH}find/`,
    {
      config: READ,
      schema: {
        operationId: 'groups_find_retrieve',
        summary: 'Reads a group',
        tags: TAGS,
        params,
        querystring: Type.Object(GroupQuery),
        response: { 200: refTo(GroupSchema, { description: 'The group.' }) },
      },
    },
    async (request) => {
      const { group_type_index: index, group_key: key } = request.query
      const projectId = getProject(request).project.id
      const type = await findGroupType(metadata, projectId, index)
      const [group] = await loadGroups(metadata, projectId, [{ type, key }])
      if (group === undefined) throw notFound(`This project has no group "${key}" of the type "${type}".`, 'group_key')
      return toBody(group, index)
    },
  )
}
