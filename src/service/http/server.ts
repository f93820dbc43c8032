import { fastify } from 'fastify'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { SchemaCompilers } from '../schema/compilers.ts'
import { addErrorHandlers, earlyErrorOptions } from './error-handlers.ts'
import { allowCrossOrigin } from './allow-cross-origin.ts'
import type { BodyBudget } from './body-budget.ts'
import { maxConnections, readOpenFilesLimit } from './max-connections.ts'
import { parseQuery } from './parse-query.ts'
import { toProxyTrust } from './proxy-trust.ts'
import { createReceiveBody } from './receive-body.ts'
import { createSendInChunks } from './send-in-chunks.ts'
import type { UnsentBytes } from './unsent-bytes.ts'

/** Dependencies of the HTTP server. */
export interface ServerParts {
  readonly config: Pick<Config, 'maxBodyBytes' | 'trustProxy' | 'publicUrl'>
  readonly bodyBudget: BodyBudget
  readonly unsentBytes: UnsentBytes
  /** Makes the functions that check requests and shape responses by the schemas of routes. */
  readonly compilersFactory: SchemaCompilers['compilersFactory']
  /** Called when a stop begins, before the server waits for running requests. */
  readonly onClosing: () => void
  /** Called with every internal error, for the log. */
  readonly onError: (error: unknown) => void
}

/** How long a whole request may take to arrive: enough for 20 MB over a mobile network, but sockets do not stay open forever. */
const REQUEST_TIMEOUT_MS = 120_000

/** How long running requests may continue after a stop begins, because an upload may never end. */
const CLOSE_GRACE_MS = 4000

/** Interval of the search for connections that take nothing. */
const STALL_CHECK_MS = 1000

/** Longest segment of a path, in characters: the longest flag key with nine characters each (`%E2%82%AC`). */
const MAX_PARAM_LENGTH = 3600

/** Creates a server without routes. Bodies are read as bytes, errors are sent as the service's JSON error, all origins are allowed. */
export const createServer = ({
  config,
  bodyBudget,
  unsentBytes,
  compilersFactory,
  onClosing,
  onError,
}: ServerParts): FastifyInstance => {
  const server = fastify({
    bodyLimit: config.maxBodyBytes - 1,
    trustProxy: toProxyTrust(config.trustProxy),
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A request that arrives on an open connection during a stop is still served.
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAM_LENGTH,
      querystringParser: parseQuery,
    },
    schemaController: { compilersFactory },
    ...earlyErrorOptions,
  })
  // Further connections are closed before anything is read from them.
  server.server.maxConnections = maxConnections(readOpenFilesLimit())
  server.server.on('connection', unsentBytes.watch)
  const stallTimer = setInterval(unsentBytes.check, STALL_CHECK_MS).unref()
  server.addHook('onClose', async () => clearInterval(stallTimer))
  addErrorHandlers(server, config.maxBodyBytes, onError)
  // Without `connection: close`, a connection that was in use when the stop began would delay the stop until it times out.
  let isClosing = false
  server.addHook('preClose', async () => {
    isClosing = true
    onClosing()
    // Requests that still arrive then were not acknowledged, so their senders retry them.
    setTimeout(() => server.server.closeAllConnections(), CLOSE_GRACE_MS).unref()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    request.bodyReservation?.release()
    if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })
  server.addHook('onSend', createSendInChunks(unsentBytes))
  // Bodies are decoded by their content (`ingest/decode-body.ts`), because senders that avoid a preflight type everything text/plain.
  server.removeAllContentTypeParsers()
  server.decorate('publicUrl', config.publicUrl)
  server.decorateRequest('bodyReservation', null)
  server.decorateRequest('isDrained', false)
  server.addContentTypeParser('*', createReceiveBody(bodyBudget, config.maxBodyBytes))
  allowCrossOrigin(server)
  return server
}
