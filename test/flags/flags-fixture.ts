import { createFlags } from '../../src/flags/flags.ts'
import type { Flags } from '../../src/flags/flags.ts'
import type { FlagsOptions } from '../../src/flags/flags-options.ts'
import type { CreateLocalFlags } from '../../src/flags/local-flags.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import type { FlagSubject } from '../../src/wire/decide.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { recordingSend } from '../support/recording-send.ts'
import type { RecordingSend, Scripted } from '../support/recording-send.ts'

export interface Fixture extends RecordingSend {
  readonly flags: Flags
  readonly clock: ManualClock
  readonly storage: KeyValue
  /** `$feature_flag_called` events, undefined properties left out as on the wire. */
  readonly events: { readonly event: string; readonly properties: Record<string, unknown>; readonly only?: RegExp }[]
  readonly warnings: unknown[][]
  /** Paths of the requests so far. */
  paths(): string[]
  identity: FlagSubject
  optedOut: boolean
  /** What the next captures answer. */
  accepts: boolean
  answer: (index: number) => Scripted | Promise<Scripted>
}

interface Given {
  readonly storage?: KeyValue
  readonly identity?: FlagSubject
  /** Evaluates flags on the page. */
  readonly local?: CreateLocalFlags
}

/** An answer of `/decide?v=3`. */
export const decided = (featureFlags: object, more: object = {}): Scripted => [
  200,
  { featureFlags, featureFlagPayloads: {}, errorsWhileComputingFlags: false, requestId: 'r1', ...more },
]

/** The flags of one user over a clock, a storage and a network that the test owns. */
export const fixture = (options: Partial<FlagsOptions> = {}, given: Given = {}): Fixture => {
  const clock = manualClock()
  const storage = given.storage ?? memoryKeyValue()
  const network = recordingSend((_request, index) => own.answer(index))
  const events: Fixture['events'] = []
  const warnings: unknown[][] = []
  const own: Omit<Fixture, 'flags'> = {
    ...network,
    clock,
    storage,
    events,
    warnings,
    paths: () => network.requests.map(({ url }) => url.replace('https://waymark.test', '')),
    identity: given.identity ?? { distinct_id: 'u', groups: {} },
    optedOut: false,
    accepts: true,
    answer: () => decided({}),
  }
  const flags = createFlags(
    {
      host: 'https://waymark.test',
      apiKey: 'key',
      flagsIntervalMs: 300_000,
      requestTimeout: 10_000,
      featureFlagsRequestMaxRetries: 1,
      ...options,
    },
    {
      clock,
      storage,
      send: network.send,
      logger: { debug: () => {}, warn: (...message) => warnings.push(message) },
      identity: () => own.identity,
      capture: (event, properties, only) => {
        if (own.accepts)
          events.push({ event, properties: JSON.parse(JSON.stringify(properties)), ...(only && { only }) })
        return own.accepts
      },
      isOptedOut: () => own.optedOut,
      local: given.local,
    },
  )
  return Object.assign(own, { flags })
}
