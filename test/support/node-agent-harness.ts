import { createNodeAgent } from '../../src/agent/node/agent.ts'
import { resolveNodeOptions } from '../../src/agent/node/options.ts'
import type { NodeAgentOptions } from '../../src/agent/node/options.ts'
import type { Waymark } from '../../src/agent/node/waymark.ts'
import { createMemoryEventLog } from '../../src/platform/memory/memory-event-log.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { nodeCompressor } from '../../src/platform/node/compressor.ts'
import { createRequestContexts } from '../../src/platform/web/request-contexts.ts'
import type { SendResponse, SendRequest } from '../../src/port/send.ts'
import type { BatchRequest, WireEvent } from '../../src/wire/event.ts'
import { manualClock } from './manual-clock.ts'
import type { ManualClock } from './manual-clock.ts'

/** A Node agent with a clock and a network that the test controls. */
export interface NodeAgentHarness {
  readonly agent: Waymark
  readonly clock: ManualClock
  readonly options: NodeAgentOptions
  /** All requests of the agent. */
  readonly requests: SendRequest[]
  /** Creates the service's response; a test may replace it. Default: status 200. */
  respond: (request: SendRequest) => Partial<SendResponse> | Promise<Partial<SendResponse>>
  readonly warnings: unknown[][]
  /** The entries of debug mode. */
  readonly debugs: (readonly unknown[])[]
  /** Arguments of the calls of the platform's `setDebug`. */
  readonly setDebugCalls: boolean[]
  readonly drops: (readonly [event: string, reason: string])[]
  /** Flushes and returns the events delivered since the last call. */
  flushAndTakeEvents(): Promise<WireEvent[]>
}

/** The events in a request's body. */
export const eventsIn = ({ body }: SendRequest): readonly WireEvent[] => {
  const { batch }: BatchRequest = JSON.parse(String(body))
  return batch
}

export const createNodeAgentHarness = (options: NodeAgentOptions = {}): NodeAgentHarness => {
  const clock = manualClock()
  let idCount = 0
  let returnedRequestCount = 0
  const drops: [string, string][] = []
  const harness: Omit<NodeAgentHarness, 'agent' | 'flushAndTakeEvents'> = {
    clock,
    // Compression runs in the thread pool and takes real time, for which a manual clock does not wait.
    options: { disableCompression: true, onDrop: ({ event }, reason) => void drops.push([event, reason]), ...options },
    requests: [],
    respond: () => ({ status: 200 }),
    warnings: [],
    debugs: [],
    setDebugCalls: [],
    drops,
  }
  const logger = {
    warn: (...message: unknown[]) => void harness.warnings.push(message),
    debug: (...entry: readonly unknown[]) => void harness.debugs.push(entry),
  }
  const settings = resolveNodeOptions(harness.options, (message) => logger.warn(message))
  const agent = createNodeAgent('key', harness.options, settings, {
    clock,
    newId: () => `id-${(idCount += 1)}`,
    random: () => 0.5,
    send: async (request) => {
      harness.requests.push(request)
      return { status: 200, body: '', retryAfter: null, ...(await harness.respond(request)) }
    },
    compressor: nodeCompressor,
    process: { keepAlive: () => () => undefined, onIdle: () => () => undefined, onExit: () => () => undefined },
    storage: createMemoryKeyValue(),
    openLog: (drop) =>
      createMemoryEventLog({ maxEvents: settings.maxQueueSize, maxBytes: settings.maxQueueBytes }, drop),
    contexts: createRequestContexts(),
    logger,
    host: 'https://waymark.test',
    library: 'waymark-node',
    setDebug: (on) => void harness.setDebugCalls.push(on),
  })
  return Object.assign(harness, {
    agent,
    async flushAndTakeEvents() {
      const flushed = agent.flush()
      await clock.advance(0)
      await flushed
      const requests = harness.requests.slice(returnedRequestCount)
      returnedRequestCount = harness.requests.length
      return requests.filter(({ url }) => url.endsWith('/batch/')).flatMap(eventsIn)
    },
  })
}
