import type { IncomingMessage, ServerResponse } from 'node:http'
import { bounded } from '../agent/options.ts'
import type { NodeAgentOptions } from '../agent/node/options.ts'
import type { Waymark } from '../agent/node/waymark.ts'
import type { Emitter } from '../autocapture/node/enter-request.ts'
import type { HttpRequest, RequestOptions } from '../autocapture/node/http-context.ts'
import { isText } from '../capture/is-text.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import { browserClock } from '../platform/browser/clock.ts'
import { randomBytes } from '../platform/browser/random.ts'
import { createMemoryEventLog } from '../platform/memory/memory-event-log.ts'
import { memoryKeyValue } from '../platform/memory/memory-key-value.ts'
import { nodeCompressor } from '../platform/node/compressor.ts'
import { createRequestContexts } from '../platform/edge/request-contexts.ts'
import { openEventFiles } from '../platform/node/event-files/event-files.ts'
import { createNodeOpenStream } from '../platform/node/open-stream.ts'
import { openNodeProcess } from '../platform/node/process.ts'
import { createFetchSend } from '../platform/edge/fetch-send.ts'
import { httpContext as structuralHttpContext } from './middleware.ts'
import { initNode } from './init-node.ts'
import { VERSION } from '../wire/version.ts'

export { edgeContext, expressContext, fastifyContext } from './middleware.ts'
export type * from './node-types.ts'

/**
 * Middleware for Node's own servers: what a listener captures and reads while it handles a request belongs to the user and the session that the
 * request's tracing headers name, and events tell of the request. Anybody can write these headers: never take them for a sign-in.
 *
 * @example createServer(httpContext(waymark, (request, response) => response.end('hello')))
 */
export const httpContext: <
  // The overloads of `createServer` leave a listener's parameters open: they are Node's then.
  Request extends HttpRequest = IncomingMessage,
  Response extends Emitter = ServerResponse,
  T = unknown,
>(
  waymark: Waymark,
  listener: (request: Request, response: Response) => T,
  options?: RequestOptions<Request>,
) => (request: Request, response: Response) => T = structuralHttpContext

/** Options of an agent in a Node process. */
export interface NodeOptions extends NodeAgentOptions {
  /**
   * Replaces the platform's `fetch`, for events, flags and definitions, whose changes are then polled for. Default: looked up at each request.
   */
  fetch?: typeof fetch
  /**
   * A folder for waiting events, made when it is missing: they then survive `process.exit()`, a crash and kill -9 once the event-loop turn of their
   * capture has ended, and the next process delivers them. Any number of processes may share it. A disk that takes nothing, for it is full or
   * read-only, costs a warning; events wait in memory until it does. Default: none, events wait in memory alone.
   */
  persistenceDir?: string
  /** Most bytes of events that wait in `persistenceDir`. Default 1,073,741,824 (1 GiB), at least 1,048,576; beyond it the oldest are dropped. */
  persistenceMaxBytes?: number
}

/**
 * Starts an agent for a server and its many users. Never throws: without a key or a `host` the agent does nothing and says so on the console.
 * Each call makes an agent of its own: make one for the process, and end it by `shutdown()`.
 *
 * @param apiKey The project API key.
 */
export const init = (apiKey: string, options?: NodeOptions): Waymark => {
  const given = options ?? {}
  return initNode(apiKey, given, createRequestContexts(), ({ maxQueueSize, maxQueueBytes }, host, logger) => {
    const memoryBounds = { maxEvents: maxQueueSize, maxLength: maxQueueBytes }
    const clock = browserClock()
    const headers = { 'User-Agent': `waymark-node/${VERSION}` }
    return {
      clock,
      newId: createUuidV7(randomBytes),
      random: Math.random,
      send: createFetchSend({ clock, fetch: given.fetch, headers }),
      // Goes by a connection of its own, past a proxy that a given `fetch` may stand for.
      openStream: given.fetch ? undefined : createNodeOpenStream(headers),
      compressor: nodeCompressor,
      process: openNodeProcess(),
      storage: memoryKeyValue(),
      openLog: (onDrop, onFound) =>
        isText(given.persistenceDir)
          ? openEventFiles({
              directory: given.persistenceDir,
              // Logs of history and of the day are taken over by their like alone: the mark stands on the request.
              project: `${host} ${apiKey}${given.historicalMigration ? ' history' : ''}`,
              bounds: { maxEvents: Infinity, maxLength: bounded(given.persistenceMaxBytes, 2 ** 30, 2 ** 20) },
              memoryBounds,
              clock,
              random: randomBytes,
              onDrop,
              onFound,
              warn: logger.warn,
            })
          : createMemoryEventLog(memoryBounds, onDrop),
      library: 'waymark-node',
    }
  })
}
