import { fastify } from 'fastify'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { answerErrors, earlyErrors } from '../errors.ts'
import { allowCrossOrigin } from './cross-origin.ts'
import type { BodyBudget } from './body-budget.ts'
import { mostConnections, openFilesLimit } from './most-connections.ts'
import { readQuery } from './read-query.ts'
import { createReceiveBody } from './receive-body.ts'

/** What the server needs. */
export interface ServerParts {
  readonly config: Pick<Config, 'maxBodyBytes' | 'trustProxy'>
  readonly bodyBudget: BodyBudget
  /** Called when the server begins to stop, before running requests are waited for. */
  readonly onClosing: () => void
  /** Told about every failure that is the service's own. */
  readonly onError: (error: unknown) => void
}

/** The longest a whole request may take to arrive: 20 MB over a phone's line, but no socket held open for ever. */
const REQUEST_TIMEOUT_MS = 120_000

/** How long running requests have to end once the server stops: an upload may never end. */
const CLOSE_GRACE_MS = 4000

/** Longest part of a path, in characters: room for the longest flag key, each character as nine (`%E2%82%AC`). */
const MAX_PARAM_LENGTH = 3600

/** A server without routes: bodies arrive as bytes, failures leave as the service's JSON error, any origin may ask. */
export const createServer = ({ config, bodyBudget, onClosing, onError }: ServerParts): FastifyInstance => {
  const server = fastify({
    bodyLimit: config.maxBodyBytes - 1,
    trustProxy: config.trustProxy,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A request that arrives on an open connection while the service stops is still served.
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAM_LENGTH,
      querystringParser: readQuery,
    },
    ...earlyErrors,
  })
  // One more is closed before anything is read from it.
  server.server.maxConnections = mostConnections(openFilesLimit())
  answerErrors(server, config.maxBodyBytes, onError)
  // A connection whose request was running when the stop began would stay open, and the stop wait for it to time out.
  let isClosing = false
  server.addHook('preClose', async () => {
    isClosing = true
    onClosing()
    // What still arrives then was not acknowledged: its sender sends it again.
    setTimeout(() => server.server.closeAllConnections(), CLOSE_GRACE_MS).unref()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    request.bodyShare?.release()
    if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })
  // Bodies are opened by their content (`ingest/body.ts`): senders that must avoid a preflight call everything text/plain.
  server.removeAllContentTypeParsers()
  server.decorateRequest('bodyShare', null)
  server.decorateRequest('isDrained', false)
  server.addContentTypeParser('*', createReceiveBody(bodyBudget, config.maxBodyBytes))
  allowCrossOrigin(server)
  return server
}
