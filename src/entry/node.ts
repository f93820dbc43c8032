import type { IncomingMessage, ServerResponse } from 'node:http'
import { clamp } from '../agent/base-options.ts'
import type { NodeAgentOptions } from '../agent/node/options.ts'
import type { Waymark } from '../agent/node/waymark.ts'
import type { Emitter } from '../autocapture/node/enter-request.ts'
import type { HttpRequest, RequestOptions } from '../autocapture/node/http-context.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import { createClock } from '../platform/web/clock.ts'
import { randomBytes } from '../platform/web/random.ts'
import { createMemoryEventLog } from '../platform/memory/memory-event-log.ts'
import { createMemoryKeyValue } from '../platform/memory/memory-key-value.ts'
import { nodeCompressor } from '../platform/node/compressor.ts'
import { createRequestContexts } from '../platform/web/request-contexts.ts'
import { openEventFiles } from '../platform/node/event-files/event-files.ts'
import { createNodeOpenStream } from '../platform/node/open-stream.ts'
import { openProcessLifecycle } from '../platform/node/process-lifecycle.ts'
import { createFetchSend } from '../platform/web/fetch-send.ts'
import { readBody } from '../platform/web/read-body.ts'
import { httpContext as structuralHttpContext } from './middleware.ts'
import { initNode } from './init-node.ts'
import { VERSION } from '../wire/version.ts'

export { edgeContext, expressContext, fastifyContext } from './middleware.ts'
export type * from './node-types.ts'

/**
 * Middleware for `http.createServer`. Captures and reads inside the listener belong to the user and the session of the request's tracing
 * headers, and events describe the request. Any client can set these headers: never use them for authentication.
 *
 * @example createServer(httpContext(waymark, (request, response) => response.end('hello')))
 */
export const httpContext: <
  // The overloads of `createServer` do not infer a listener's parameters: the defaults are Node's types.
  Request extends HttpRequest = IncomingMessage,
  Response extends Emitter = ServerResponse,
  T = unknown,
>(
  waymark: Waymark,
  listener: (request: Request, response: Response) => T,
  options?: RequestOptions<Request>,
) => (request: Request, response: Response) => T = structuralHttpContext

/** Read before a framework replaces it. Next.js 13 and 14 do that first, and mark theirs. */
const platformFetch = globalThis.fetch

/** Options of the Node agent. */
export interface NodeOptions extends NodeAgentOptions {
  /**
   * Replaces the platform's `fetch` for events, flags and definitions; changes of definitions are then polled. Default: the global `fetch`,
   * looked up at each request.
   */
  fetch?: typeof fetch
  /**
   * A folder for queued events, created if missing. Events survive `process.exit()`, a crash and kill -9 once the event-loop turn of their
   * capture has ended; the next process delivers them. Processes may share the folder. If the disk is full or read-only, the agent warns
   * and queues events in memory. Default: none, events are queued only in memory.
   */
  persistenceDir?: string
  /**
   * Maximum bytes of events in `persistenceDir`. Default 1,073,741,824 (1 GiB), at least 1,048,576. Beyond it the oldest events are
   * dropped.
   */
  persistenceMaxBytes?: number
}

/**
 * Starts an agent for a process with many users. Never throws: without a key or a `host` the agent does nothing and logs a warning. Each
 * call creates a separate agent: create one per process, and end it with `shutdown()`.
 *
 * @param apiKey The project API key.
 */
export const init = (apiKey: string, options?: NodeOptions): Waymark => {
  const nodeOptions = options ?? {}
  const names: readonly (keyof NodeOptions)[] = ['fetch', 'persistenceDir', 'persistenceMaxBytes']
  return initNode(
    apiKey,
    nodeOptions,
    createRequestContexts(),
    names,
    ({ maxQueueSize, maxQueueBytes }, host, logger) => {
      const memoryLimits = { maxEvents: maxQueueSize, maxBytes: maxQueueBytes }
      const clock = createClock()
      const headers = { 'User-Agent': `waymark-node/${VERSION}` }
      return {
        clock,
        newId: createUuidV7(randomBytes),
        random: Math.random,
        send: createFetchSend({ clock, fetch: nodeOptions.fetch, platformFetch, readBody, headers }),
        // The stream has its own connection, which would bypass a proxy behind a custom `fetch`.
        openStream: nodeOptions.fetch ? undefined : createNodeOpenStream(headers),
        compressor: nodeCompressor,
        process: openProcessLifecycle(),
        storage: createMemoryKeyValue(),
        openLog: (onDrop, onFound) =>
          isNonBlankString(nodeOptions.persistenceDir)
            ? openEventFiles({
                directory: nodeOptions.persistenceDir,
                // Historical imports have their own log, because the mark applies to a whole request.
                project: `${host} ${apiKey}${nodeOptions.historicalMigration ? ' history' : ''}`,
                limits: { maxEvents: Infinity, maxBytes: clamp(nodeOptions.persistenceMaxBytes, 2 ** 30, 2 ** 20) },
                memoryLimits,
                clock,
                random: randomBytes,
                onDrop,
                onTakeOver: onFound,
                warn: logger.warn,
              })
            : createMemoryEventLog(memoryLimits, onDrop),
        library: 'waymark-node',
      }
    },
  )
}
