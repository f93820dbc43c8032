import type { Writable } from 'node:stream'
import cors from '@fastify/cors'
import { fastify } from 'fastify'
import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify'
import type { FastifyRequest as AnyRequest } from 'fastify'
import type { Json, JsonObject } from '../wire/json.ts'
import { authorize } from './auth/personal-key.ts'
import { createProjectKeys } from './auth/project-keys.ts'
import type { Config } from './config.ts'
import { answerErrors, earlyErrors, refuseMethod } from './errors.ts'
import { decideAnswer } from './flags/decide-answer.ts'
import type { Evaluated } from './flags/evaluated.ts'
import { createFeedAccess, type FeedRequest } from './flags/feed-access.ts'
import { holdsFeed } from './flags/feed.ts'
import type { FlagSets } from './flags/flag-sets.ts'
import { flagsAnswer } from './flags/flags-answer.ts'
import { createStreams } from './flags/streams.ts'
import { clientAddress } from './geo/client-address.ts'
import { createHealthCheck } from './health.ts'
import type { Indexer } from './indexer/indexer.ts'
import { createAccept } from './ingest/accept.ts'
import { bodyTextAsync } from './ingest/body.ts'
import { FORM_TYPE, formOf, isForm } from './ingest/form.ts'
import { isRecord, keyOf, parseJson } from './ingest/request.ts'
import { addResource } from './management/add-resource.ts'
import { createCohorts } from './management/cohorts.ts'
import { createEarlyAccessFeatures } from './management/early-access-features.ts'
import { createFeatureFlags } from './management/feature-flags.ts'
import { createGroupTypes } from './management/group-types.ts'
import { createOfferedFeatures } from './management/offered-features.ts'
import { createQuery } from './management/query.ts'
import { invalid, Refusal } from './refusal.ts'
import type { Inbox } from './store/inbox/inbox.ts'
import type { Metadata } from './store/metadata/open.ts'

/** Everything the routes stand on. */
export interface AppParts {
  readonly config: Config
  readonly inbox: Inbox
  readonly metadata: Metadata
  readonly indexer: Indexer
  readonly decide: Decide
  readonly flagSets: FlagSets
  /** True while the inbox holds as much as it may. */
  readonly isFull: () => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Told about every failure that is the service's own. */
  readonly onError: (error: unknown) => void
}

/** Evaluates the flags of a project for the person in a request. Throws `Refusal`. */
export type Decide = (call: DecideCall) => Promise<Evaluated>

export interface DecideCall {
  readonly projectId: number
  readonly body: JsonObject
  /** Address of whoever sent the request; undefined when a proxy did. */
  readonly connection: string | undefined
  /** Address of the client that the request is for, where one is named. */
  readonly forwarded: string | undefined
}

/** The service's HTTP side: every route there is. Plugins can be added before it listens. */
export const createApp = async (parts: AppParts): Promise<FastifyInstance> => {
  const { config, metadata, now } = parts
  const projectOfKey = createProjectKeys(metadata)
  const accept = createAccept({ ...parts, projectOfKey, maxBodyBytes: config.maxBodyBytes })
  const query = createQuery({ ...parts, timeoutMs: config.queryTimeoutMs, maxRows: config.queryMaxRows })
  const offeredFeatures = createOfferedFeatures({ ...parts, projectOfKey })
  const checkHealth = createHealthCheck(parts)
  const feedAccess = createFeedAccess(parts)
  const streams = createStreams(parts)

  const app = fastify({
    bodyLimit: config.maxBodyBytes - 1,
    trustProxy: config.trustProxy,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A request that arrives on an open connection while the service stops is still served.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    ...earlyErrors,
  })
  answerErrors(app, config.maxBodyBytes, parts.onError)
  // A connection whose request was running when the stop began would stay open, and the stop wait for it to time out.
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    streams.close()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })
  // Bodies are opened by their content (`ingest/body.ts`): senders that must avoid a preflight call everything text/plain.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  // No cookie is ever read, so any origin may ask: what is private needs a key in a header.
  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: ['ETag', 'Retry-After'],
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  })

  const post = (paths: readonly string[], handler: Handler): void => {
    for (const url of paths) {
      app.post<{ Params: Texts; Querystring: Texts }>(url, { onRequest: readableType }, handler)
      app.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE'], url, handler: refuseMethod('POST') })
    }
  }

  const get = (paths: readonly string[], handler: Handler, options: RouteShorthandOptions = {}): void => {
    for (const url of paths) {
      app.get<{ Params: Texts; Querystring: Texts }>(url, options, handler)
      app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url, handler: refuseMethod('GET') })
    }
  }

  const ingest =
    (endpoint: 'capture' | 'batch'): Handler =>
    async (request, reply) => {
      await accept({ body: bytesOf(request), form: formOfRequest(request), address: request.ip, endpoint })
      return reply.type('application/json').send('{"status":1}')
    }
  post(['/i/v0/e', '/e', '/capture', '/track'], ingest('capture'))
  post(['/batch'], ingest('batch'))

  const evaluate =
    (answer: (evaluated: Evaluated, version: string | undefined) => object): Handler =>
    async (request) => {
      const body = parseJson(await bodyTextAsync(bytesOf(request), formOfRequest(request), config.maxBodyBytes))
      if (!isRecord(body)) throw invalid('invalid_shape', 'The body must be an object.')
      const { id } = await projectOfKey(keyOf(body), now())
      const evaluated = await parts.decide({ projectId: id, body, ...addressesOf(request, config.trustProxy) })
      return answer(evaluated, queryOf(request)['v'])
    }
  post(['/decide'], evaluate(decideAnswer))
  post(['/flags'], evaluate(flagsAnswer))

  get(['/flags/definitions', '/api/feature_flag/local_evaluation'], async (request, reply) => {
    const { set } = await feedAccess(feedRequestOf(request))
    const feed = set.feed(wantsCohorts(request))
    reply.header('etag', feed.etag).header('cache-control', 'private, no-cache')
    if (holdsFeed(feed, request.headers['if-none-match'])) return reply.status(304).send()
    return reply.type('application/json').send(feed.body)
  })
  const openStream: Handler = async (request, reply) => {
    const { 'last-event-id': lastEventId } = request.headers
    streams.start({
      ...(await feedAccess(feedRequestOf(request))),
      withCohorts: wantsCohorts(request),
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
      begin: () => beginStream(reply),
    })
    return reply
  }
  // A stream without a body would never end.
  get(['/flags/stream'], openStream, { exposeHeadRoute: false })

  post(['/api/environments/:projectId/query', '/api/projects/:projectId/query'], async (request) => {
    const { projectId = '' } = paramsOf(request)
    const key = await authorize(metadata, {
      authorization: request.headers.authorization,
      projectId,
      scope: 'query:read',
    })
    return query(key.projectId, await readBody(request))
  })

  const readBody = async (request: AnyRequest): Promise<Json> =>
    parseJson(await bodyTextAsync(bytesOf(request), {}, config.maxBodyBytes))
  const resourceParts = { metadata, readBody, onRequest: readableType }
  addResource(app, resourceParts, createFeatureFlags(parts))
  addResource(app, resourceParts, createCohorts(parts))
  addResource(app, resourceParts, createEarlyAccessFeatures(parts))
  addResource(app, resourceParts, createGroupTypes(parts))
  get(['/api/early_access_features'], (request) => offeredFeatures(queryOf(request)))

  get(['/healthz'], async (_request, reply) => {
    const health = await checkHealth()
    return reply
      .status(health.status === 'ok' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(health)
  })
  return app
}

/** The longest a whole request may take to arrive: 20 MB over a phone's line, but no socket held open for ever. */
const REQUEST_TIMEOUT_MS = 120_000

/** Longest part of a path, in characters: room for the longest flag key, each character as nine (`%E2%82%AC`). */
const MAX_PARAM_LENGTH = 3600

/** Path and query parameters are texts, whatever they are worth. */
type FastifyRequest = AnyRequest<{ Params: Texts; Querystring: Texts }>
type Texts = Readonly<Record<string, string | undefined>>

/** How long a browser may remember a preflight's answer; Chromium takes two hours of it. */
const PREFLIGHT_SECONDS = 86_400

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Gives a content type that is none, which the framework refuses, one that it takes: the content tells what it is. */
const readableType = ({ raw: { headers } }: AnyRequest, _reply: FastifyReply, done: () => void): void => {
  const type = headers['content-type']
  if (type !== undefined && !isForm(type)) headers['content-type'] = 'application/octet-stream'
  else if (type !== undefined) headers['content-type'] = FORM_TYPE
  done()
}

const EMPTY = Buffer.alloc(0)

const bytesOf = ({ body, headers }: AnyRequest): Uint8Array => {
  const encoding = headers['content-encoding']?.trim()
  // Names of codings have no case, and x-gzip is gzip (RFC 9110, section 8.4.1).
  if (encoding !== undefined && !/^((x-)?gzip|identity|)$/i.test(encoding)) {
    throw new Refusal(415, {
      type: 'invalid_request',
      code: 'unsupported_encoding',
      detail: `Content-Encoding "${encoding}" is not read; send gzip or none.`,
      attr: 'content-encoding',
    })
  }
  return body instanceof Uint8Array ? body : EMPTY
}

const formOfRequest = (request: FastifyRequest): ReturnType<typeof formOf> =>
  formOf({ contentType: request.headers['content-type'], query: queryOf(request) })

/** Only the header of the protocol names another client's address; a trusted proxy's names its own. */
const addressesOf = (request: FastifyRequest, trustProxy: boolean): Pick<DecideCall, 'connection' | 'forwarded'> => {
  const named = clientAddress(request.headers['http_x_forwarded_for'])
  const isProxied = trustProxy && request.headers['x-forwarded-for'] !== undefined
  const sender = clientAddress(request.ip)
  return isProxied ? { connection: undefined, forwarded: named ?? sender } : { connection: sender, forwarded: named }
}

const feedRequestOf = (request: FastifyRequest): FeedRequest => ({
  authorization: request.headers.authorization,
  token: queryOf(request)['token'],
})

/** Clients write the parameter without a value. */
const wantsCohorts = (request: FastifyRequest): boolean =>
  !['false', '0', undefined].includes(queryOf(request)['send_cohorts'])

/** Answers the head of an event stream and takes the response out of the framework's hands. */
const beginStream = (reply: FastifyReply): Writable => {
  reply
    .type('text/event-stream')
    .header('cache-control', 'no-store')
    // The stream is all that this connection is for: it ends with it, as a stopping service needs.
    .header('connection', 'close')
    // nginx would keep messages back until its buffer is full.
    .header('x-accel-buffering', 'no')
    .hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? [])
  return reply.raw.writeHead(200)
}

const queryOf = ({ query }: FastifyRequest): Readonly<Record<string, string | undefined>> => query

const paramsOf = ({ params }: FastifyRequest): Readonly<Record<string, string | undefined>> => params
