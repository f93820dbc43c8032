import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as Type from 'typebox'
import type { Static, TObject, TProperties } from 'typebox'
import { changeAuthorized } from '../auth/authorize.ts'
import { requireScope } from '../auth/project-access.ts'
import { getCaller, getProject } from '../auth/request-access.ts'
import { requestUrl } from '../http/request-url.ts'
import { notFound } from '../http-error.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { SavedItem } from '../store/metadata/saved-items.ts'
import type { ResourceOptions } from './add-resource.ts'
import type { Api } from './api.ts'
import { authorOf } from './author.ts'
import { checkVersion } from './change.ts'
import { readPage, toListBody } from './page.ts'
import type { PageQuery as PageParameters } from './page.ts'
import { refuseDelete } from './refuse-delete.ts'
import type { SavedChange, SavedRequest, SavedResource } from './saved-resource.ts'

/** Adds the routes of items that users save to the paths of a project. */
export const addSavedResource = <
  Item extends SavedItem,
  Fields extends object,
  Input extends TObject,
  ListQuery extends TProperties,
>(
  api: Api,
  resource: SavedResource<Item, Fields, Input, ListQuery>,
  { metadata, now }: ResourceOptions,
): void => {
  const { path, scope, description } = resource
  const { item, shortItem = item, id, schema, input, summaries } = description
  const noun = shortItem.replace(/^an? /, '')
  const read = { access: { kind: 'personalKey', scope: `${scope}:read` } } as const
  const write = { access: { kind: 'personalKey', scope: `${scope}:write` } } as const
  const tags = [path]
  const params = Type.Object(ProjectParams)
  const itemPath = `/${path}/:${id.name}/`
  const itemParams = Type.Object({ ...ProjectParams, [id.name]: id.schema })
  const Item = refTo(schema, { description: `The ${noun}.` })

  const toSavedRequest = (request: FastifyRequest, reply: FastifyReply): SavedRequest => ({
    projectId: getProject(request).project.id,
    request,
    reply,
  })
  /** The same for a route that may have the query parameter. */
  const toReadRequest = (request: FastifyRequest, reply: FastifyReply): SavedRequest => ({
    ...toSavedRequest(request, reply),
    refresh: (request.query as { readonly refresh?: string }).refresh,
  })
  const getItem = async (from: Metadata, request: FastifyRequest): Promise<Item> => {
    const value = (request.params as Readonly<Record<string, string | number>>)[id.name]!
    const found = await resource.find(from, getProject(request).project.id, value)
    if (found) return found
    throw notFound(`This project has no ${noun} with the ${id.name} ${value}. GET the list to see all of them.`)
  }
  /** Runs the change of a request in its transaction. */
  const runChange = async (
    request: FastifyRequest,
    run: (change: SavedChange<Input>) => Promise<Item>,
  ): Promise<Item> => {
    const body = request.body as Static<Input>
    return changeAuthorized(metadata, request, now, (transaction) =>
      run({
        transaction,
        projectId: getProject(request).project.id,
        body,
        author: authorOf(request, now()),
        requireScope: (needed) => requireScope(getCaller(request).key, needed),
      }),
    )
  }

  api.get(
    `/${path}/`,
    {
      config: read,
      schema: {
        operationId: `${path}_list`,
        summary: summaries.list,
        tags,
        params,
        querystring: Type.Object({ ...PageQuery, ...description.listQuery }),
        response: { 200: ListOf(refTo(description.listedSchema)) },
      },
    },
    async (request, reply) => {
      const { limit, offset, ...query } = request.query as Static<TObject<ListQuery>> & PageParameters
      const page = readPage({ limit, offset })
      const items = await resource.list(toReadRequest(request, reply), query as Static<TObject<ListQuery>>, page)
      return toListBody(items, page, requestUrl(request))
    },
  )
  api.post(
    `/${path}/`,
    {
      config: write,
      schema: {
        operationId: `${path}_create`,
        summary: `Creates ${item}`,
        tags,
        params,
        body: input,
        response: { 201: Item },
      },
    },
    async (request, reply) => {
      const created = await runChange(request, resource.create)
      return reply.status(201).send(await resource.toBody(toSavedRequest(request, reply), created))
    },
  )
  api.get(
    itemPath,
    {
      config: read,
      schema: {
        operationId: `${path}_retrieve`,
        summary: summaries.read,
        tags,
        params: itemParams,
        ...(description.readQuery && { querystring: description.readQuery }),
        response: { 200: Item },
      },
    },
    async (request, reply) => {
      const found = await getItem(metadata, request)
      await resource.onRead?.(found)
      return resource.toBody(toReadRequest(request, reply), found)
    },
  )
  api.patch(
    itemPath,
    {
      config: write,
      schema: {
        operationId: `${path}_${description.changeOperation}`,
        summary: `${summaries.change}; also deletes and restores it`,
        tags,
        params: itemParams,
        body: description.change,
        response: { 200: Item },
      },
    },
    async (request, reply) => {
      const changed = await runChange(request, async (change) => {
        const { transaction, body, author } = change
        const stored = await getItem(transaction, request)
        checkVersion(stored, body)
        const { fields, hasOtherChanges = false } = await resource.apply(change, stored)
        const hasChanged = hasOtherChanges || !isDeepStrictEqual({ ...stored, ...fields }, stored)
        return hasChanged ? resource.update(transaction, stored.id, fields, author) : stored
      })
      return resource.toBody(toSavedRequest(request, reply), changed)
    },
  )
  refuseDelete(api, {
    path: itemPath,
    params: itemParams,
    access: write.access,
    operationId: `${path}_destroy`,
    item: shortItem,
    tags,
  })
}
