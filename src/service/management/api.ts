import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { isRecord } from '../../wire/json.ts'
import type { Access } from '../auth/access.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import { authorize } from '../auth/authorize.ts'
import { createRateLimiter } from '../auth/rate-limiter.ts'
import type { ShareCounts } from '../auth/share-counts.ts'
import { addPrivateHeaders } from './add-private-headers.ts'
import { createMethodNotAllowedHandler } from '../http/error-handlers.ts'
import { normalizeContentType } from '../http/request-body.ts'
import type { ReadJson } from '../http/request-body.ts'
import { badRequest } from '../http-error.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { refuseUnknownFilters } from './refuse-unknown-filters.ts'

/** One route of the management API. */
export interface ManagementRoute {
  readonly method: string
  readonly url: string
  readonly access: Access
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The route table of the management API, without the routes that answer 405. Complete when the server is ready. */
    managementRoutes: readonly ManagementRoute[]
  }
  interface FastifyContextConfig {
    /** Set on every route of the management API. */
    access?: Access
  }
}

/** A server on which routes with schemas can be added; the schemas give the types of requests and responses. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Dependencies and limits of the management API. */
export interface ApiParts {
  readonly metadata: Metadata
  readonly authenticate: Authenticate
  readonly readJson: ReadJson
  /** The body of a request must be smaller. */
  readonly maxBodyBytes: number
  readonly maxKeyRequestsPerMinute: number
  /** Default: the limit is of this process. */
  readonly shareCounts?: ShareCounts | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Loads what checks requests against schemas. */
  readonly loadSchemas: () => Promise<void>
}

/** Adds routes to a part of the API. Each route declares who may call it, in `config.access`. */
export type AddRoutes = (api: Api) => void

const MINUTE_MS = 60_000

/** Keys of one user that may use their whole limit at once. Further keys share what these leave. */
const MAX_BUSY_KEYS = 3

/** The two prefixes of the paths of a project; they mean the same. */
const PROJECT_PREFIXES = ['/api/environments/:project_id', '/api/projects/:project_id'] as const
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Adds the routes of the management API. Before a handler runs, its request is authorised, its JSON body read (for routes with
 * a body schema) and checked. Methods that a path does not have get 405.
 */
export const addManagementApi = (
  app: FastifyInstance,
  { metadata, authenticate, readJson, maxBodyBytes, maxKeyRequestsPerMinute, shareCounts, loadSchemas, now }: ApiParts,
  { addRootRoutes, addProjectRoutes }: { readonly addRootRoutes: AddRoutes; readonly addProjectRoutes: AddRoutes },
): void => {
  const routes: ManagementRoute[] = []
  app.decorate('managementRoutes', routes)
  app.decorateRequest('caller', null)
  app.decorateRequest('projectAccess', null)
  app.decorateRequest('organizationAccess', null)
  const countRequest = createRateLimiter({
    maxRequests: maxKeyRequestsPerMinute,
    windowMs: MINUTE_MS,
    subject: 'This personal API key sent',
    shared: shareCounts?.('requests of a key'),
  })
  const countUserRequest = createRateLimiter({
    maxRequests: maxKeyRequestsPerMinute * MAX_BUSY_KEYS,
    windowMs: MINUTE_MS,
    subject: 'The personal API keys of this user sent',
    shared: shareCounts?.('requests of a user'),
  })
  void app.register(async (plugin) => {
    addPrivateHeaders(plugin)
    plugin.addHook('onRequest', normalizeContentType)
    plugin.addHook('preValidation', async (request) => {
      const { access } = request.routeOptions.config
      if (access === undefined) throw new Error(`${request.routeOptions.url} does not declare who may call it.`)
      if (access.kind === 'personalKey') {
        const caller = await authenticate({ authorization: request.headers.authorization, ip: request.ip })
        countRequest(caller.key.id, now())
        countUserRequest(caller.user.id, now())
        await authorize(metadata, request, caller)
        refuseUnknownFilters(request)
      }
      await loadSchemas()
      if (request.routeOptions.schema?.body === undefined) return
      const body = await readJson(request, maxBodyBytes)
      if (!isRecord(body)) throw badRequest('invalid_shape', 'The body must be a JSON object.')
      request.body = body
    })
    const addPart = (prefix: string, addRoutes: AddRoutes): void =>
      void plugin.register(
        async (part) => {
          const api = part.withTypeProvider<TypeBoxTypeProvider>()
          const rejectOtherMethods = watchMethods(api, routes)
          addRoutes(api)
          rejectOtherMethods()
        },
        // A route `/` of a part has the path of the prefix with a slash at its end, which is optional for all paths.
        { prefix },
      )
    addPart('', addRootRoutes)
    for (const prefix of PROJECT_PREFIXES) addPart(prefix, addProjectRoutes)
  })
}

/**
 * Adds the routes that follow to the route table. Returns a function that adds a 405 response for each method that they do not
 * have.
 */
const watchMethods = (api: Api, routes: ManagementRoute[]): (() => void) => {
  /** For each method of a path, whether it is of any use. */
  const methodsByPath = new Map<string, Map<string, boolean>>()
  let isWatching = true
  api.addHook('onRoute', ({ routePath, method, url, config, schema }) => {
    if (!isWatching) return
    const methods = methodsByPath.get(routePath) ?? new Map<string, boolean>()
    methodsByPath.set(routePath, methods)
    for (const each of [method].flat()) {
      methods.set(each, canSucceed(schema))
      // A HEAD route comes with each GET route.
      if (each !== 'HEAD') routes.push({ method: each, url, access: config?.access ?? { kind: 'public' } })
    }
  })
  return () => {
    isWatching = false
    for (const [url, methods] of methodsByPath) {
      const allowed = METHODS.filter((method) => methods.get(method))
      api.route({
        method: METHODS.filter((method) => !methods.has(method)),
        url,
        config: { access: { kind: 'public' } },
        handler: createMethodNotAllowedHandler(allowed.join(', ')),
      })
    }
  }
}

/** Whether a route has another response than a refusal. One that has none is there for the OpenAPI document, and for its errors. */
const canSucceed = (schema: FastifySchema | undefined): boolean =>
  Object.keys((schema?.response as object | undefined) ?? { 200: {} }).some((status) => status < '400')
