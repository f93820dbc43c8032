import type { NodeAgentOptions } from '../agent/node/options.ts'
import type { Waymark } from '../agent/node/waymark.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import { browserCompressor } from '../platform/browser/compressor.ts'
import { randomBytes } from '../platform/browser/random.ts'
import { createMemoryEventLog } from '../platform/memory/memory-event-log.ts'
import { memoryKeyValue } from '../platform/memory/memory-key-value.ts'
import { edgeClock } from '../platform/edge/clock.ts'
import { createRequestContexts } from '../platform/edge/request-contexts.ts'
import { createFetchStream } from '../platform/edge/fetch-stream.ts'
import { edgeProcess } from '../platform/edge/process.ts'
import { createFetchSend } from '../platform/edge/fetch-send.ts'
import { initNode } from './init-node.ts'
import { VERSION } from '../wire/version.ts'

export { edgeContext, expressContext, fastifyContext, httpContext } from './middleware.ts'
export type * from './node-types.ts'

/** Options of an agent on a runtime that has `fetch` and little else. */
export interface EdgeOptions extends NodeAgentOptions {
  /** Replaces the platform's `fetch`, for events, flags and definitions. Default: looked up at each request. */
  fetch?: typeof fetch
}

/**
 * Starts an agent where there is no Node: Cloudflare Workers, Vercel's edge, Deno, Bun. As `init` of `waymark/node`, but for one thing: such a
 * runtime may stop as soon as it has answered, so that what was captured has to be awaited (`edgeContext`, or `flush()` in `waitUntil`).
 *
 * @param apiKey The project API key.
 */
export const init = (apiKey: string, options?: EdgeOptions): Waymark => {
  const given = options ?? {}
  return initNode(apiKey, given, createRequestContexts(), ({ maxQueueSize, maxQueueBytes }, _host, logger) => {
    // Whoever wrote it down meant Node, and some tool has taken this entry: "browser" is a condition of many.
    if ('persistenceDir' in given)
      logger.warn('persistenceDir needs waymark/node, and this is waymark/edge: events wait in memory alone')
    const clock = edgeClock()
    const headers = { 'User-Agent': `waymark-edge/${VERSION}` }
    return {
      clock,
      newId: createUuidV7(randomBytes),
      random: Math.random,
      send: createFetchSend({ clock, fetch: given.fetch, headers }),
      openStream: createFetchStream({ fetch: given.fetch, headers }),
      compressor: browserCompressor(),
      process: edgeProcess,
      storage: memoryKeyValue(),
      openLog: (drop) => createMemoryEventLog({ maxEvents: maxQueueSize, maxLength: maxQueueBytes }, drop),
      library: 'waymark-edge',
    }
  })
}
