import type { NodeAgentOptions } from '../agent/node/options.ts'
import type { Waymark } from '../agent/node/waymark.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import { createStreamCompressor } from '../platform/web/compressor.ts'
import { randomBytes } from '../platform/web/random.ts'
import { createMemoryEventLog } from '../platform/memory/memory-event-log.ts'
import { createMemoryKeyValue } from '../platform/memory/memory-key-value.ts'
import { createEdgeClock } from '../platform/edge/clock.ts'
import { createRequestContexts } from '../platform/web/request-contexts.ts'
import { createFetchOpenStream } from '../platform/edge/fetch-open-stream.ts'
import { edgeProcessLifecycle } from '../platform/edge/process-lifecycle.ts'
import { createFetchSend } from '../platform/web/fetch-send.ts'
import { readBody } from '../platform/web/read-body.ts'
import { initNode } from './init-node.ts'
import { VERSION } from '../wire/version.ts'

export { edgeContext, expressContext, fastifyContext, httpContext } from './middleware.ts'
export type * from './node-types.ts'

/** Options of the edge agent. */
export interface EdgeOptions extends NodeAgentOptions {
  /** Replaces the platform's `fetch` for events, flags and definitions. Default: the global `fetch`, looked up at each request. */
  fetch?: typeof fetch
}

/**
 * Starts an agent on an edge runtime: Cloudflare Workers, Vercel, Deno or Bun. It works like `init` of `waymark/node`. Such a runtime may
 * stop right after the response, so wait for the delivery: use `edgeContext`, or pass `flush()` to `waitUntil`.
 *
 * @param apiKey The project API key.
 */
export const init = (apiKey: string, options?: EdgeOptions): Waymark => {
  const edgeOptions = options ?? {}
  return initNode(
    apiKey,
    edgeOptions,
    createRequestContexts(),
    ['fetch', 'persistenceDir', 'persistenceMaxBytes'],
    ({ maxQueueSize, maxQueueBytes }, _host, logger) => {
      // The option means Node, so a bundler has chosen the wrong entry: many of them set the condition "browser".
      if ('persistenceDir' in edgeOptions)
        logger.warn('persistenceDir needs waymark/node; waymark/edge queues events only in memory')
      const clock = createEdgeClock()
      const headers = { 'User-Agent': `waymark-edge/${VERSION}` }
      return {
        clock,
        newId: createUuidV7(randomBytes),
        random: Math.random,
        send: createFetchSend({ clock, fetch: edgeOptions.fetch, readBody, headers }),
        openStream: createFetchOpenStream({ fetch: edgeOptions.fetch, headers }),
        compressor: createStreamCompressor(),
        process: edgeProcessLifecycle,
        storage: createMemoryKeyValue(),
        openLog: (drop) => createMemoryEventLog({ maxEvents: maxQueueSize, maxBytes: maxQueueBytes }, drop),
        library: 'waymark-edge',
      }
    },
  )
}
