import type { ServerOptions } from './agent/server/options.ts'
import type { Waymark } from './agent/server/waymark.ts'
import { createUuidV7 } from './codec/uuid.ts'
import { browserClock } from './platform/browser/clock.ts'
import { randomBytes } from './platform/browser/random.ts'
import { createMemoryEventLog } from './platform/memory/memory-event-log.ts'
import { memoryKeyValue } from './platform/memory/memory-key-value.ts'
import { nodeCompressor } from './platform/node/compressor.ts'
import { nodeContexts } from './platform/node/contexts.ts'
import { createNodeOpenStream } from './platform/node/open-stream.ts'
import { nodeProcess } from './platform/node/process.ts'
import { createServerSend } from './platform/server/send.ts'
import { initServer } from './server.ts'
import { VERSION } from './wire/version.ts'

export { edgeContext, expressContext, fastifyContext, httpContext } from './middleware.ts'
export type * from './server-types.ts'

/** Options of an agent in a Node process. */
export interface NodeOptions extends ServerOptions {
  /**
   * Replaces the platform's `fetch`, for events, flags and definitions, whose changes are then polled for. Default: looked up at each request.
   */
  fetch?: typeof fetch
}

/**
 * Starts an agent for a server and its many users. Never throws: without a key or a `host` the agent does nothing and says so on the console.
 * Each call makes an agent of its own: make one for the process, and end it by `shutdown()`.
 *
 * @param apiKey The project API key.
 */
export function init(apiKey: string, options?: NodeOptions): Waymark {
  const given = options ?? {}
  return initServer(apiKey, given, nodeContexts(), ({ maxQueueSize, maxQueueBytes }) => {
    const clock = browserClock()
    const headers = { 'User-Agent': `waymark-node/${VERSION}` }
    return {
      clock,
      newId: createUuidV7(randomBytes),
      random: Math.random,
      send: createServerSend({ clock, fetch: given.fetch, headers }),
      // Goes by a connection of its own, past a proxy that a given `fetch` may stand for.
      openStream: given.fetch ? undefined : createNodeOpenStream(headers),
      compressor: nodeCompressor,
      process: nodeProcess,
      storage: memoryKeyValue(),
      openLog: (drop) => createMemoryEventLog({ maxEvents: maxQueueSize, maxLength: maxQueueBytes }, drop),
      library: 'waymark-node',
    }
  })
}
