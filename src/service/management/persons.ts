import { MAX_SHOWN_DISTINCT_IDS } from '../../wire/bounds.ts'
import * as Type from 'typebox'
import { getProject } from '../auth/request-access.ts'
import { requestUrl } from '../http/request-url.ts'
import { notFound } from '../http-error.ts'
import { parsePersonFilters } from '../insight/actors/parse-person-filters.ts'
import { showActor } from '../insight/actors/answer-actors.ts'
import { askShorter, endPage } from '../insight/show-page.ts'
import { combine, MATCH_ALL } from '../insight/filter/condition.ts'
import type { Condition } from '../insight/filter/condition.ts'
import { loadFilterContext } from '../insight/filter/load-filter-context.ts'
import { toSelection } from '../insight/query/base.ts'
import type { ActorRecord } from '../insight/question/actors.ts'
import { PageQuery, UncountedListOf } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { publicIdOf } from '../persons/person.ts'
import { findPersonByPublicId, listSomeDistinctIds } from '../store/metadata/persons.ts'
import type { Api } from './api.ts'
import type { AskStore } from './ask-store.ts'
import { parseFilterParameter, parseRequestFilters } from './filter-http-error.ts'
import { readPage, toUncountedListBody } from './page.ts'
import { toPersonBody } from './person-body.ts'
import { PersonListQuery, PersonSchema } from './schema/person.ts'

/** Dependencies of the persons. */
export interface PersonsOptions {
  readonly metadata: Metadata
  readonly askStore: AskStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const PATH = '/persons/'
const TAGS = ['persons']
const READ = { access: { kind: 'personalKey', scope: 'person:read' } } as const

const hasEmail = (email: string): Condition => ({
  kind: 'property',
  path: 'email',
  source: { of: 'person' },
  name: 'email',
  operator: 'exact',
  value: email,
  isNegated: false,
})

/** Adds the persons that the events of a project have created. Events alone change them. */
export const addPersons = (api: Api, { metadata, askStore, now }: PersonsOptions): void => {
  api.get(
    PATH,
    {
      config: READ,
      schema: {
        operationId: 'persons_list',
        summary: 'Lists the persons of a project, in pages, the newest first',
        tags: TAGS,
        params: Type.Object(ProjectParams),
        querystring: Type.Object({ ...PageQuery, ...PersonListQuery }),
        response: { 200: UncountedListOf(refTo(PersonSchema)) },
      },
    },
    async (request, reply) => {
      const { search, email, distinct_id: distinctId, properties, ...pageQuery } = request.query
      const page = readPage(pageQuery)
      const context = await loadFilterContext(metadata, getProject(request).project.id, now())
      const filters = parseFilterParameter(properties)
      const condition = combine('all', [
        parseRequestFilters(() => parsePersonFilters(filters, true, context)),
        email ? hasEmail(email) : MATCH_ALL,
        distinctId ? { kind: 'event_field', field: 'distinct_id', value: distinctId } : MATCH_ALL,
      ])
      const answer = await askShorter(page.limit, (limit) =>
        askStore(request, reply, 'actors', {
          of: { kind: 'all', actor: { of: 'person' } },
          persons: toSelection(condition, context),
          search: search?.trim() || null,
          order: [{ by: 'created_at', isDescending: true }],
          offset: page.offset,
          limit,
        }),
      )
      const shown = answer.actors.flatMap((actor: ActorRecord) => (actor.of === 'person' ? [showActor(actor)] : []))
      const actors = endPage(shown)
      const hasMore = answer.hasMore || actors.length < shown.length
      const items = actors.map((actor) => toPersonBody(actor))
      // A page with large values ends early.
      const limit = hasMore ? answer.actors.length - shown.length + actors.length : page.limit
      return toUncountedListBody({ items, hasMore }, { ...page, limit }, requestUrl(request))
    },
  )

  api.get(
    `${PATH}:id/`,
    {
      config: READ,
      schema: {
        operationId: 'persons_retrieve',
        summary: 'Reads a person',
        tags: TAGS,
        params: Type.Object({ ...ProjectParams, id: Type.String({ description: 'The `id` of the person.' }) }),
        response: { 200: refTo(PersonSchema, { description: 'The person.' }) },
      },
    },
    async (request) => {
      const projectId = getProject(request).project.id
      const id = request.params.id.toLowerCase()
      const person = await findPersonByPublicId(metadata, projectId, id)
      if (person === undefined) throw notFound(`This project has no person with the id ${id}.`)
      const distinctIds = await listSomeDistinctIds(metadata, projectId, person.id, MAX_SHOWN_DISTINCT_IDS)
      return toPersonBody({ ...person, id: publicIdOf(person), distinctIds: distinctIds.toSorted() })
    },
  )
}
