import { createNodeAgent } from '../../src/agent/node/agent.ts'
import { resolveNodeOptions } from '../../src/agent/node/options.ts'
import type { NodeAgentOptions } from '../../src/agent/node/options.ts'
import type { Waymark } from '../../src/agent/node/waymark.ts'
import { createMemoryEventLog } from '../../src/platform/memory/memory-event-log.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { nodeCompressor } from '../../src/platform/node/compressor.ts'
import { createRequestContexts } from '../../src/platform/edge/request-contexts.ts'
import type { SendAnswer, SendRequest } from '../../src/port/send.ts'
import type { BatchRequest, WireEvent } from '../../src/wire/event.ts'
import { manualClock } from './manual-clock.ts'
import type { ManualClock } from './manual-clock.ts'

/** A server process with its agent, a clock that the test moves, and a network of which the test is the other end. */
export interface ServerWorld {
  readonly agent: Waymark
  readonly clock: ManualClock
  readonly options: NodeAgentOptions
  /** Every request, as it went out. */
  readonly requests: SendRequest[]
  /** What the service answers; at first 200. */
  answer: (request: SendRequest) => Partial<SendAnswer> | Promise<Partial<SendAnswer>>
  readonly warnings: unknown[][]
  readonly debugs: boolean[]
  readonly drops: (readonly [event: string, reason: string])[]
  /** Flushes, and answers the events that have arrived since the last time. */
  arrived(): Promise<WireEvent[]>
}

/** The events in a request's body. */
export const eventsIn = ({ body }: SendRequest): readonly WireEvent[] => {
  const { batch }: BatchRequest = JSON.parse(String(body))
  return batch
}

export const openServerWorld = (options: NodeAgentOptions = {}): ServerWorld => {
  const clock = manualClock()
  let ids = 0
  let seen = 0
  const drops: [string, string][] = []
  const world: Omit<ServerWorld, 'agent' | 'arrived'> = {
    clock,
    // The thread pool takes real time, which no manual clock waits for.
    options: { disableCompression: true, onDrop: ({ event }, reason) => void drops.push([event, reason]), ...options },
    requests: [],
    answer: () => ({ status: 200 }),
    warnings: [],
    debugs: [],
    drops,
  }
  const logger = { warn: (...message: unknown[]) => void world.warnings.push(message), debug: () => undefined }
  const settings = resolveNodeOptions(world.options, (message) => logger.warn(message))
  const agent = createNodeAgent('key', world.options, settings, {
    clock,
    newId: () => `id-${(ids += 1)}`,
    random: () => 0.5,
    send: async (request) => {
      world.requests.push(request)
      return { status: 200, body: '', retryAfter: null, ...(await world.answer(request)) }
    },
    compressor: nodeCompressor,
    process: { hold: () => () => undefined, onIdle: () => () => undefined, onExit: () => () => undefined },
    storage: memoryKeyValue(),
    openLog: (drop) =>
      createMemoryEventLog({ maxEvents: settings.maxQueueSize, maxLength: settings.maxQueueBytes }, drop),
    contexts: createRequestContexts(),
    logger,
    host: 'https://waymark.test',
    library: 'waymark-node',
    setDebug: (on) => void world.debugs.push(on),
  })
  return Object.assign(world, {
    agent,
    async arrived() {
      const flushed = agent.flush()
      await clock.advance(0)
      await flushed
      const requests = world.requests.slice(seen)
      seen = world.requests.length
      return requests.filter(({ url }) => url.endsWith('/batch/')).flatMap(eventsIn)
    },
  })
}
