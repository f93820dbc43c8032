import { createFlags } from '../../src/flags/flags.ts'
import type { Flags } from '../../src/flags/flags.ts'
import type { FlagsOptions } from '../../src/flags/flags-options.ts'
import type { CreateLocalFlags } from '../../src/flags/local-flags.ts'
import { atOnce } from '../../src/lib/at-once.ts'
import type { WhenAtRest } from '../../src/port/when-at-rest.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import type { FlagSubject } from '../../src/wire/decide.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { recordingSend } from '../support/recording-send.ts'
import type { RecordingSend, ScriptedResponse } from '../support/recording-send.ts'

/** The flags of one user, and what the test controls: clock, storage, network and identity. */
export interface FlagsFixture extends RecordingSend {
  readonly flags: Flags
  readonly clock: ManualClock
  readonly storage: KeyValue
  /** `$feature_flag_called` events, without undefined properties, which are not sent. */
  readonly events: {
    readonly event: string
    readonly properties: Record<string, unknown>
    readonly allowedNames?: RegExp
  }[]
  readonly warnings: unknown[][]
  /** Paths of the requests so far. */
  paths(): string[]
  identity: FlagSubject
  optedOut: boolean
  /** What later captures return; false means that the event was dropped. */
  acceptsEvents: boolean
  /** Returns the response to the request with this index. */
  respond: (index: number) => ScriptedResponse | Promise<ScriptedResponse>
}

interface FlagsFixtureOptions {
  /** Default: at once. */
  readonly whenAtRest?: WhenAtRest
  readonly storage?: KeyValue
  readonly identity?: FlagSubject
  /** Evaluates flags on the page. */
  readonly local?: CreateLocalFlags
}

/** A response of `/decide?v=3`. */
export const createDecideResponse = (featureFlags: object, otherFields: object = {}): ScriptedResponse => [
  200,
  { featureFlags, featureFlagPayloads: {}, errorsWhileComputingFlags: false, requestId: 'r1', ...otherFields },
]

/** Creates the flags of one user, with a manual clock, storage in memory and a fake network. */
export const createFixture = (
  options: Partial<FlagsOptions> = {},
  fixtureOptions: FlagsFixtureOptions = {},
): FlagsFixture => {
  const clock = manualClock()
  const storage = fixtureOptions.storage ?? createMemoryKeyValue()
  const network = recordingSend((_request, index) => state.respond(index))
  const events: FlagsFixture['events'] = []
  const warnings: unknown[][] = []
  const state: Omit<FlagsFixture, 'flags'> = {
    ...network,
    clock,
    storage,
    events,
    warnings,
    paths: () => network.requests.map(({ url }) => url.replace('https://waymark.test', '')),
    identity: fixtureOptions.identity ?? { distinct_id: 'u', groups: {} },
    optedOut: false,
    acceptsEvents: true,
    respond: () => createDecideResponse({}),
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
      identity: () => state.identity,
      capture: (event, properties, allowedNames) => {
        if (state.acceptsEvents)
          events.push({
            event,
            properties: JSON.parse(JSON.stringify(properties)),
            ...(allowedNames && { allowedNames }),
          })
        return state.acceptsEvents
      },
      isOptedOut: () => state.optedOut,
      whenAtRest: fixtureOptions.whenAtRest ?? atOnce,
      local: fixtureOptions.local,
    },
  )
  return Object.assign(state, { flags })
}
