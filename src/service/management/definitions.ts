import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import * as Type from 'typebox'
import { getProject } from '../auth/request-access.ts'
import { badRequest } from '../http-error.ts'
import { requestUrl } from '../http/request-url.ts'
import type { PropertyOwner, PropertyType } from '../insight/question/names.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { Page } from '../store/metadata/page.ts'
import type { Api } from './api.ts'
import type { AskStore } from './ask-store.ts'
import { findGroupType } from './find-group-type.ts'
import { readPage, toListBody } from './page.ts'
import {
  EventDefinitionQuery,
  EventDefinitionSchema,
  PropertyDefinitionQuery,
  PropertyDefinitionSchema,
} from './schema/definition.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** Dependencies of the definitions. */
export interface DefinitionsOptions {
  readonly metadata: Metadata
  readonly askStore: AskStore
}

const PROPERTY_TYPES: Readonly<Record<PropertyType, 'String' | 'Numeric' | 'Boolean' | 'DateTime' | null>> = {
  text: 'String',
  number: 'Numeric',
  boolean: 'Boolean',
  time: 'DateTime',
  mixed: null,
}

/** A UUID of version 8 (RFC 9562), so that a name has the same id in every answer. */
const toId = (...parts: readonly string[]): string => {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const findNames = <Item extends { readonly name: string }>(items: readonly Item[], search = ''): readonly Item[] => {
  const part = search.toLowerCase()
  return items.filter(({ name }) => name.toLowerCase().includes(part))
}

/** Parameters of the protocol that would leave out properties. */
const REFUSED = [
  'event_names',
  'filter_by_event_names',
  'properties',
  'excluded_properties',
  'is_numerical',
  'is_feature_flag',
]

/** Values of a condition that says nothing. Without feature flags is another list than with them, so that `false` says something there. */
const isUnset = (name: string, value: unknown = ''): boolean => {
  const text = String(value).toLowerCase()
  return text === '' || text === '[]' || (text === 'false' && name !== 'is_feature_flag')
}

/** Throws `HttpError` (400) for a condition that would be ignored. */
const refuseConditions = (query: Readonly<Record<string, unknown>>): void => {
  const name = REFUSED.find((each) => !isUnset(each, query[each]))
  if (name !== undefined)
    throw badRequest('invalid_input', `"${name}" must be missing: the list cannot leave out properties by it.`, name)
}

/** Adds the lists of the names that events and properties have, for completion. They are read from the stored events. */
export const addDefinitions = (api: Api, { metadata, askStore }: DefinitionsOptions): void => {
  const params = Type.Object(ProjectParams)
  const toPage = <Item, Body>(
    request: FastifyRequest,
    page: Page,
    items: readonly Item[],
    toBody: (item: Item) => Body,
  ) => {
    const shown = items.slice(page.offset, page.offset + page.limit).map(toBody)
    return toListBody({ count: items.length, items: shown }, page, requestUrl(request))
  }
  const readOwner = async (
    request: FastifyRequest,
    type: PropertyOwner['of'],
    index: number | undefined,
  ): Promise<PropertyOwner> => {
    if (type !== 'group') return { of: type }
    return { of: 'group', type: await findGroupType(metadata, getProject(request).project.id, index) }
  }

  api.get(
    '/event_definitions/',
    {
      config: { access: { kind: 'personalKey', scope: 'event_definition:read' } },
      schema: {
        operationId: 'event_definitions_list',
        summary: 'Lists the names of events that a project has, in pages, the most frequent first',
        tags: ['event_definitions'],
        params,
        querystring: Type.Object({ ...PageQuery, ...EventDefinitionQuery }),
        response: { 200: ListOf(refTo(EventDefinitionSchema)) },
      },
    },
    async (request, reply) => {
      const { search, ...page } = request.query
      const names = findNames(await askStore(request, reply, 'eventNames', {}), search)
      return toPage(request, readPage(page), names, ({ name, count, firstSeen, lastSeen }) => ({
        id: toId('event', name),
        name,
        volume: count,
        created_at: toIsoTime(firstSeen),
        last_seen_at: toIsoTime(lastSeen),
      }))
    },
  )

  api.get(
    '/property_definitions/',
    {
      config: { access: { kind: 'personalKey', scope: 'property_definition:read' } },
      schema: {
        operationId: 'property_definitions_list',
        summary: 'Lists the properties that the newest events, persons or groups of a project have, in pages',
        tags: ['property_definitions'],
        params,
        querystring: Type.Object({ ...PageQuery, ...PropertyDefinitionQuery }),
        response: { 200: ListOf(refTo(PropertyDefinitionSchema)) },
      },
    },
    async (request, reply) => {
      refuseConditions(request.query)
      const { search, type = 'event', group_type_index: index, ...page } = request.query
      const owner = await readOwner(request, type, index)
      const names = findNames(await askStore(request, reply, 'propertyNames', { owner }), search)
      return toPage(request, readPage(page), names, ({ name, type: valueType }) => ({
        id: toId(type, name),
        name,
        property_type: PROPERTY_TYPES[valueType],
        is_numerical: valueType === 'number',
      }))
    },
  )
}
