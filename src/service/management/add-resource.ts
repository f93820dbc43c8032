import type { FastifyInstance } from 'fastify'
import { isRecord } from '../../wire/json.ts'
import type { JsonObject } from '../../wire/json.ts'
import { authorize, requireScope } from '../auth/authorize.ts'
import { createMethodNotAllowedHandler } from '../http/error-handlers.ts'
import { normalizeContentType } from '../http/request-body.ts'
import type { ReadJson } from '../http/request-body.ts'
import type { Handler, Request, StringParams } from '../http/route.ts'
import { badRequest } from '../http-error.ts'
import type { PersonalApiKey } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { toListBody, readPage } from './page.ts'
import type { RequireScope, Resource } from './resource.ts'

/** Dependencies and limits of the routes of a resource. */
export interface ResourceOptions {
  readonly metadata: Metadata
  readonly readJson: ReadJson
  /** The body of a request must be smaller. */
  readonly maxBodyBytes: number
}

const FAMILIES = ['environments', 'projects']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The full URL of a request, as the client sent it. */
const parseRequestUrl = ({ protocol, host, url }: Request): URL => {
  const origin = `${protocol}://${host}`
  if (!URL.canParse(origin))
    throw badRequest(
      'malformed_host',
      'The Host header is malformed; send a valid host name with an optional port.',
      'host',
    )
  return new URL(url, origin)
}

const readItemId = ({ params }: Request): string => params['id'] ?? ''

/** Adds the routes of a resource under `/api/environments/<project id>/` and its alias `/api/projects/<project id>/`. */
export const addResource = (
  app: FastifyInstance,
  { metadata, readJson, maxBodyBytes }: ResourceOptions,
  { items, list, path, scope }: Resource,
): void => {
  const authorizeRequest = (
    { headers: { authorization }, params }: Request,
    verb: 'read' | 'write',
  ): Promise<PersonalApiKey> =>
    authorize(metadata, { authorization, projectId: params['projectId'] ?? '', scope: `${scope}:${verb}` })
  const authorizeProject = async (request: Request, verb: 'read' | 'write'): Promise<number> =>
    (await authorizeRequest(request, verb)).projectId
  const createRequireScope =
    (key: PersonalApiKey): RequireScope =>
    (scope) =>
      requireScope(key, scope)
  const readObject = async (request: Request): Promise<JsonObject> => {
    const body = await readJson(request, maxBodyBytes)
    if (isRecord(body)) return body
    throw badRequest('invalid_shape', 'The body must be a JSON object.')
  }
  const addRoutes = (url: string, handlers: Partial<Record<(typeof METHODS)[number], Handler>>): void => {
    const allowed = METHODS.filter((method) => handlers[method])
    const rejectMethod = createMethodNotAllowedHandler(allowed.join(', '))
    for (const method of METHODS) {
      const handler = handlers[method] ?? rejectMethod
      for (const family of FAMILIES)
        app.route<{ Params: StringParams; Querystring: StringParams }>({
          method,
          url: `/api/${family}/:projectId/${path}${url}`,
          onRequest: normalizeContentType,
          handler,
        })
    }
  }

  addRoutes('', {
    GET: async (request) => {
      const projectId = await authorizeProject(request, 'read')
      const page = readPage(request.query)
      return toListBody(await list(projectId, page), page, parseRequestUrl(request))
    },
    POST: async (request, reply) => {
      const key = await authorizeRequest(request, 'write')
      return reply
        .status(201)
        .send(await items.create(key.projectId, await readObject(request), createRequireScope(key)))
    },
  })
  const { update } = items
  addRoutes('/:id', {
    GET: async (request) => items.read(await authorizeProject(request, 'read'), readItemId(request)),
    ...(update && {
      PATCH: async (request) => {
        const projectId = await authorizeProject(request, 'write')
        return update(projectId, readItemId(request), await readObject(request))
      },
    }),
    DELETE: async (request, reply) => {
      const key = await authorizeRequest(request, 'write')
      await items.remove(key.projectId, readItemId(request), createRequireScope(key))
      return reply.status(204).send()
    },
  })
}
