import { createAgent } from '../agent/agent.ts'
import { createExtras } from '../agent/extras/create-extras.ts'
import type { ExtendedWaymark, ExtraOptions } from '../agent/extras/extra-options.ts'
import { createNodeAgent } from '../agent/node/agent.ts'
import { resolveNodeOptions } from '../agent/node/options.ts'
import type { NodeAgentOptions } from '../agent/node/options.ts'
import type { Waymark as ServerWaymark } from '../agent/node/waymark.ts'
import type { Options } from '../agent/options.ts'
import { deliverWith } from '../agent/deliver-with.ts'
import { flags as flagsPart, surveys } from '../agent/parts.ts'
import { recordCalls } from '../agent/testing/recording.ts'
import type { Recording, TestFlags } from '../agent/testing/recording.ts'
import type { OutgoingEvent } from '../capture/before-send.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import { createFlagDetails } from '../flags/flag-detail.ts'
import { randomBytes } from '../platform/web/random.ts'
import { edgeProcessLifecycle } from '../platform/edge/process-lifecycle.ts'
import { createRequestContexts } from '../platform/web/request-contexts.ts'
import { createMemoryEventLog } from '../platform/memory/memory-event-log.ts'
import { createMemoryKeyValue } from '../platform/memory/memory-key-value.ts'
import { SINGLE_PAGE_CHANNEL, SINGLE_PAGE_PORTS } from '../platform/memory/single-page-ports.ts'
import type { Clock } from '../port/clock.ts'
import type { Logger } from '../port/logger.ts'
import { noop } from '../lib/noop.ts'
import type { Send } from '../port/send.ts'

export type { ExtendedWaymark, ExtraOptions } from '../agent/extras/extra-options.ts'
export type { NodeAgentOptions as ServerOptions } from '../agent/node/options.ts'
export type { Waymark as ServerWaymark } from '../agent/node/waymark.ts'
export type { Options } from '../agent/options.ts'
export type { RecordedCall, Recording, TestFlags } from '../agent/testing/recording.ts'
export type { OutgoingEvent } from '../capture/before-send.ts'

/** An agent of `waymark`, also with the verbs of `waymark/extras`, that records. */
export type TestAgent = ExtendedWaymark & Recording

/** An agent of `waymark/node` or `waymark/edge` that records. */
export type TestServerAgent = ServerWaymark & Recording

/**
 * Creates an agent for tests of a page. Verbs, options and events are those of the real agent, but it sends nothing, stores nothing, starts no
 * timer, and captures nothing by itself. Each call creates a separate agent. Warnings are logged to the console.
 *
 * @param options Flags, and options of the agent. Those of network, storage and page views have no effect, nor have `disabled`, `respectDnt`
 *   and `captureBots`.
 * @example
 * const waymark = createTestAgent({ flags: { beta: true } })
 * signUp(waymark)
 * expect(waymark.calls).toContainEqual(['capture', 'signed up', { plan: 'pro' }])
 */
export const createTestAgent = ({
  flags,
  payloads,
  ...options
}: TestFlags & Options & ExtraOptions = {}): TestAgent => {
  let current: Parameters<Recording['setFlags']> = []
  const extras = createExtras<Options>(options, logger, async (snapshot) => {
    // A service sends no payload of a flag that is off.
    const enabled = Object.entries({ ...current[0] }).filter(([, value]) => value)
    return {
      snapshot: { ...snapshot, flags: createFlagDetails(Object.fromEntries(enabled), current[1]) },
      errors: [],
      isFailed: false,
    }
  })
  const { verbs, start } = createAgent(API_KEY, extras.options, logger, { flags: flagsPart, surveys }, () => ({
    host: HOST,
    ...createPorts(),
    automaticProperties: () => ({}),
    autocapture: () => noop,
    storage: createMemoryKeyValue(),
    openStore: async () => undefined,
    loadDelivery: deliverWith({
      compressor: () => Promise.reject(new Error('nothing is sent')),
      lock: async (task) => {
        await task()
        return true
      },
      channel: SINGLE_PAGE_CHANNEL,
    }),
    lifecycle: { onWake: () => noop, onHidden: () => noop, onUnload: () => noop, isOnline: () => true },
    ...SINGLE_PAGE_PORTS,
    setDebug: noop,
  }))
  const agent = extras.attach(verbs)
  const { overrideFeatureFlags, reset } = agent
  const setFlags: Recording['setFlags'] = (...args) => {
    current = args
    overrideFeatureFlags(...args)
  }
  // The next user has the same flags.
  agent.reset = (...args) => {
    reset(...args)
    overrideFeatureFlags(...current)
  }
  setFlags(flags, payloads)
  const events: OutgoingEvent[] = []
  agent.on('capture', (event) => events.push(event))
  start()
  return recordCalls(agent, events, setFlags)
}

/**
 * Creates an agent for tests of a server. Verbs, options and events are those of the real agent, but it sends nothing, stores nothing and starts
 * no timer. Each call creates a separate agent. Warnings are logged to the console.
 *
 * @param options Flags, and options of the agent. Those of network, storage and local evaluation have no effect.
 */
export const createTestServerAgent = ({
  flags,
  payloads,
  ...options
}: TestFlags & NodeAgentOptions = {}): TestServerAgent => {
  const events: OutgoingEvent[] = []
  const agent = createNodeAgent(
    API_KEY,
    {
      ...options,
      before_send: [options.before_send ?? [], (event: OutgoingEvent) => (events.push(event), event)].flat(),
    },
    // The flags are given, so there are no definitions to load.
    resolveNodeOptions({ ...options, enableLocalEvaluation: false }, logger.warn),
    {
      host: HOST,
      ...createPorts(),
      storage: createMemoryKeyValue(),
      process: edgeProcessLifecycle,
      contexts: createRequestContexts(),
      openLog: (onDrop) => createMemoryEventLog({ maxEvents: Infinity, maxBytes: Infinity }, onDrop),
      library: 'waymark-node',
      logger,
      setDebug: noop,
    },
  )
  agent.overrideFeatureFlags(flags, payloads)
  return recordCalls(agent, events, agent.overrideFeatureFlags)
}

const API_KEY = 'test'
const HOST = 'https://waymark.test'

const logger: Logger = {
  // oxlint-disable-next-line no-console -- a mistake in the tested code should be seen
  warn: (...message) => console.warn('[waymark]', ...message),
  debug: noop,
}

/** Answers everything, so that no promise of a verb waits for a network. */
const send: Send = async () => ({ status: 200, body: '{"status":1,"featureFlags":{}}', retryAfter: null })

const runSoon = (task: () => void): void => void Promise.resolve().then(task)

/** The clock of the test, which it may fake. Only tasks without delay run: no timer outlives a test. */
const clock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    let run = task
    if (delayMs <= 0) runSoon(() => run())
    return () => {
      run = noop
    }
  },
  defer: runSoon,
}

/** Ports that both agents need. */
const createPorts = () => ({
  clock,
  newId: createUuidV7(randomBytes),
  random: () => 0,
  send,
  compressor: () => Promise.reject(new Error('nothing is sent')),
})
