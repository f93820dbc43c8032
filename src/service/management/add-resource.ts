import type { FastifyInstance } from 'fastify'
import { isRecord } from '../../wire/json.ts'
import type { JsonObject } from '../../wire/json.ts'
import { authorize, requireScope } from '../auth/personal-key.ts'
import { refuseMethod } from '../errors.ts'
import { readableType } from '../http/request-body.ts'
import type { ReadJson } from '../http/request-body.ts'
import type { Handler, Request, Texts } from '../http/route.ts'
import { invalid } from '../refusal.ts'
import type { PersonalApiKey } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { listBody, readPage } from './page.ts'
import type { RequireScope, Resource } from './resource.ts'

/** What the routes of a resource need. */
export interface ResourceParts {
  readonly metadata: Metadata
  readonly readJson: ReadJson
  /** A body must be smaller. */
  readonly maxBodyBytes: number
}

const FAMILIES = ['environments', 'projects']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The address of a request as its sender wrote it. */
const addressOf = ({ protocol, host, url }: Request): URL => {
  const origin = `${protocol}://${host}`
  if (!URL.canParse(origin)) throw invalid('malformed_host', 'The Host header is not well-formed.', 'host')
  return new URL(url, origin)
}

const itemId = ({ params }: Request): string => params['id'] ?? ''

/** Adds the routes of a resource under `/api/environments/<project id>/` and its alias `/api/projects/<project id>/`. */
export const addResource = (
  app: FastifyInstance,
  { metadata, readJson, maxBodyBytes }: ResourceParts,
  { items, list, path, scope }: Resource,
): void => {
  const keyFor = ({ headers: { authorization }, params }: Request, verb: 'read' | 'write'): Promise<PersonalApiKey> =>
    authorize(metadata, { authorization, projectId: params['projectId'] ?? '', scope: `${scope}:${verb}` })
  const projectFor = async (request: Request, verb: 'read' | 'write'): Promise<number> =>
    (await keyFor(request, verb)).projectId
  const further =
    (key: PersonalApiKey): RequireScope =>
    (scope) =>
      requireScope(key, scope)
  const readObject = async (request: Request): Promise<JsonObject> => {
    const body = await readJson(request, maxBodyBytes)
    if (isRecord(body)) return body
    throw invalid('invalid_shape', 'The body must be an object.')
  }
  const add = (url: string, handlers: Partial<Record<(typeof METHODS)[number], Handler>>): void => {
    const allowed = METHODS.filter((method) => handlers[method])
    const refuse = refuseMethod(allowed.join(', '))
    for (const method of METHODS) {
      const handler = handlers[method] ?? refuse
      for (const family of FAMILIES)
        app.route<{ Params: Texts; Querystring: Texts }>({
          method,
          url: `/api/${family}/:projectId/${path}${url}`,
          onRequest: readableType,
          handler,
        })
    }
  }

  add('', {
    GET: async (request) => {
      const projectId = await projectFor(request, 'read')
      const page = readPage(request.query)
      return listBody(await list(projectId, page), page, addressOf(request))
    },
    POST: async (request, reply) => {
      const key = await keyFor(request, 'write')
      return reply.status(201).send(await items.create(key.projectId, await readObject(request), further(key)))
    },
  })
  const { update } = items
  add('/:id', {
    GET: async (request) => items.read(await projectFor(request, 'read'), itemId(request)),
    ...(update && {
      PATCH: async (request) => {
        const projectId = await projectFor(request, 'write')
        return update(projectId, itemId(request), await readObject(request))
      },
    }),
    DELETE: async (request, reply) => {
      const key = await keyFor(request, 'write')
      await items.remove(key.projectId, itemId(request), further(key))
      return reply.status(204).send()
    },
  })
}
