import * as Type from 'typebox'
import type { FastifyRequest } from 'fastify'
import type { JsonObject } from '../../wire/json.ts'
import { changeAuthorized } from '../auth/authorize.ts'
import { getCaller, getProject } from '../auth/request-access.ts'
import { requireScope } from '../auth/project-access.ts'
import { requestUrl } from '../http/request-url.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { skipBodyCheck } from '../schema/skip-checks.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { Api } from './api.ts'
import { readPage, toListBody } from './page.ts'
import type { ChangeRequest, Resource } from './resource.ts'

/** Dependencies of the resources of a project. */
export interface ResourceOptions {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Adds the routes of a resource to the paths of a project. */
export const addResource = (
  api: Api,
  { description, items, list, path, scope }: Resource,
  { metadata, now }: ResourceOptions,
): void => {
  const toChange = (request: FastifyRequest): ChangeRequest => ({
    projectId: getProject(request).project.id,
    transact: (change) => changeAuthorized(metadata, request, now, change),
    requireScope: (needed) => requireScope(getCaller(request).key, needed),
  })
  const { noun, item, create, change } = description
  const read = { access: { kind: 'personalKey', scope: `${scope}:read` } } as const
  const write = { access: { kind: 'personalKey', scope: `${scope}:write` } } as const
  const tags = [path]
  const params = Type.Object(ProjectParams)
  const itemParams = Type.Object({ ...ProjectParams, id: Type.String({ description: description.id }) })
  const Item = refTo(item, { description: `The ${noun}.` })

  api.get(
    `/${path}/`,
    {
      config: read,
      schema: {
        operationId: `${path}_list`,
        summary: `Lists every ${noun} of a project, in pages`,
        tags,
        params,
        querystring: Type.Object({ ...PageQuery, ...description.listQuery }),
        response: { 200: ListOf(refTo(item)) },
      },
    },
    async (request) => {
      const page = readPage(request.query)
      return toListBody(
        await list(getProject(request).project.id, page, request.query as JsonObject),
        page,
        requestUrl(request),
      )
    },
  )
  api.post(
    `/${path}/`,
    {
      config: write,
      schema: {
        operationId: `${path}_create`,
        summary: `Creates a ${noun}`,
        tags,
        params,
        body: skipBodyCheck(create),
        response: { 201: Item },
      },
    },
    async (request, reply) => reply.status(201).send(await items.create(toChange(request), request.body as JsonObject)),
  )
  api.get(
    `/${path}/:id/`,
    {
      config: read,
      schema: {
        operationId: `${path}_retrieve`,
        summary: `Reads a ${noun}`,
        tags,
        params: itemParams,
        response: { 200: Item },
      },
    },
    (request) => items.read(getProject(request).project.id, request.params.id),
  )
  const { update } = items
  if (update && change)
    api.patch(
      `/${path}/:id/`,
      {
        config: write,
        schema: {
          operationId: `${path}_update`,
          summary: `Changes the fields of a ${noun} that the body contains`,
          tags,
          params: itemParams,
          body: skipBodyCheck(change),
          response: { 200: Item },
        },
      },
      (request) => update(toChange(request), (request.params as { id: string }).id, request.body as JsonObject),
    )
  api.delete(
    `/${path}/:id/`,
    {
      config: write,
      schema: {
        operationId: `${path}_destroy`,
        summary: `Removes a ${noun} for good`,
        tags,
        params: itemParams,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    async (request, reply) => {
      await items.remove(toChange(request), request.params.id)
      return reply.status(204).send(null)
    },
  )
}
