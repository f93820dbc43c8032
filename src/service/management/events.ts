import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { getProject } from '../auth/request-access.ts'
import { requestUrl } from '../http/request-url.ts'
import { notFound } from '../http-error.ts'
import { askShorter, endPage } from '../insight/show-page.ts'
import { parseEventRows, showEvent } from '../insight/events/answer-events.ts'
import { findNextPosition } from '../insight/events/next-position.ts'
import { combine } from '../insight/filter/condition.ts'
import type { Condition } from '../insight/filter/condition.ts'
import { loadFilterContext } from '../insight/filter/load-filter-context.ts'
import { toSelection } from '../insight/query/base.ts'
import type { EventRecord, EventsAnswer, EventsQuestion } from '../insight/question/events.ts'
import { PageQuery, UncountedListOf } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { toIsoTime } from '../to-iso-time.ts'
import type { Api } from './api.ts'
import type { AskStore } from './ask-store.ts'
import { parseFilterParameter, parseRequestFilters } from './filter-http-error.ts'
import { readPage, toForwardListBody } from './page.ts'
import { toPersonBody } from './person-body.ts'
import { EventListQuery, EventSchema } from './schema/event.ts'

/** Dependencies of the events. */
export interface EventsOptions {
  readonly metadata: Metadata
  readonly askStore: AskStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type EventRows = Pick<EventsQuestion, 'events' | 'range' | 'order' | 'limit' | 'offset'>

const DAY_MS = 86_400_000

const PATH = '/events/'
const TAGS = ['events']
const READ = { access: { kind: 'personalKey', scope: 'query:read' } } as const

const toBody = ({ person, properties, ...event }: EventRecord): Static<typeof EventSchema> => {
  const { $elements_chain: chain } = properties ?? {}
  return {
    id: event.uuid,
    event: event.event,
    distinct_id: event.distinctId,
    properties: { ...properties },
    timestamp: toIsoTime(event.timestamp),
    created_at: toIsoTime(event.receivedAt),
    person: person === null ? null : toPersonBody(person),
    elements_chain: typeof chain === 'string' ? chain : '',
  }
}

/** The URL of the next page. */
const toNextUrl = (url: URL, { events }: EventsAnswer, { range, limit, offset }: EventRows): string => {
  const times = events.map(({ timestamp }) => timestamp)
  const position = findNextPosition({ before: range.before, offset }, times)
  const next = new URL(url)
  if (range.from !== undefined) next.searchParams.set('after', toIsoTime(range.from))
  next.searchParams.set('before', position.before === undefined ? 'all' : toIsoTime(position.before))
  next.searchParams.set('limit', String(limit))
  next.searchParams.set('offset', String(position.offset))
  return next.href
}

/**
 * The same of the last day alone, which most pages are of, and which the store finds without reading all other times. Null for a range that
 * the client has chosen.
 */
const limitToDay = (rows: EventRows): EventRows | null => {
  const { from, before } = rows.range
  return from !== undefined || before === undefined ? null : { ...rows, range: { from: before - DAY_MS, before } }
}

/** Adds the stored events. */
export const addEvents = (api: Api, { metadata, askStore, now }: EventsOptions): void => {
  const ask = (request: FastifyRequest, reply: FastifyReply, rows: EventRows): Promise<EventsAnswer> =>
    askShorter(rows.limit, (limit) =>
      askStore(request, reply, 'events', { ...rows, limit, hasProperties: true, hasPersons: true, texts: [] }),
    )

  api.get(
    PATH,
    {
      config: READ,
      schema: {
        operationId: 'events_list',
        summary: 'Lists the events of a project, in pages, the newest first',
        tags: TAGS,
        params: Type.Object(ProjectParams),
        querystring: Type.Object({ ...PageQuery, ...EventListQuery }),
        response: { 200: UncountedListOf(refTo(EventSchema)) },
      },
    },
    async (request, reply) => {
      const { event, distinct_id, person_id, properties, after, before, ...pageQuery } = request.query
      const context = await loadFilterContext(metadata, getProject(request).project.id, now())
      const query = {
        ...readPage(pageQuery),
        ...(event !== undefined && { event }),
        ...(person_id !== undefined && { personId: person_id }),
        properties: parseFilterParameter(properties),
        after: after || 'all',
        ...(before !== undefined && { before }),
      }
      const parsed = parseRequestFilters(() => parseEventRows(query, context))
      const rows = distinct_id ? addCondition(parsed, isOf(distinct_id)) : parsed
      const recent = limitToDay(rows)
      const ofDay = recent && (await ask(request, reply, recent))
      const answer = ofDay?.hasMore === true ? ofDay : await ask(request, reply, rows)
      const shown = answer.events.map(showEvent)
      const events = endPage(shown)
      const hasMore = answer.hasMore || events.length < shown.length
      const next = hasMore ? toNextUrl(requestUrl(request), { events, hasMore }, rows) : null
      return toForwardListBody(events.map(toBody), next)
    },
  )

  api.get(
    `${PATH}:id/`,
    {
      config: READ,
      schema: {
        operationId: 'events_retrieve',
        summary: 'Reads an event',
        tags: TAGS,
        params: Type.Object({ ...ProjectParams, id: Type.String({ description: 'The `id` of the event.' }) }),
        response: { 200: refTo(EventSchema, { description: 'The event.' }) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const context = await loadFilterContext(metadata, getProject(request).project.id, now())
      const events = toSelection({ kind: 'event_field', field: 'uuid', value: id }, context)
      const { events: found } = await ask(request, reply, { events, range: {}, order: [], limit: 1, offset: 0 })
      if (found[0] === undefined) throw notFound(`This project has no event with the id ${id}.`)
      return toBody(found[0])
    },
  )
}

const isOf = (distinctId: string): Condition => ({ kind: 'event_field', field: 'distinct_id', value: distinctId })

const addCondition = (rows: EventRows, condition: Condition): EventRows => ({
  ...rows,
  events: { ...rows.events, condition: combine('all', [rows.events.condition, condition]) },
})
