import { compile } from '../../../src/evaluate/compile.ts'
import type { DefinitionsLoader, LoadedDefinitions } from '../../../src/flags/node/definitions-loader.ts'
import type { NodeFlagsOptions } from '../../../src/flags/node/flags-options.ts'
import type { FlagEvent } from '../../../src/flags/node/flags-ports.ts'
import { createNodeFlags } from '../../../src/flags/node/node-flags.ts'
import type { NodeFlags } from '../../../src/flags/node/node-flags.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import type { FlagDefinition, FlagDefinitions } from '../../../src/wire/definition.ts'
import { manualClock } from '../../support/manual-clock.ts'
import type { ManualClock } from '../../support/manual-clock.ts'
import { recordingSend } from '../../support/recording-send.ts'
import type { RecordingSend, Scripted } from '../../support/recording-send.ts'

/** When definitions that a test gives were loaded. */
export const LOADED_AT = 1_000

/** Definitions that a test puts in place. */
export interface MemoryDefinitions extends DefinitionsLoader {
  /** What the loader has from now on; undefined: it has no definitions any more. Ends the first load. */
  put(definitions: FlagDefinitions | undefined): void
  /** What was asked of it. */
  readonly calls: string[]
}

/** @param definitions Undefined: the first load has not ended. */
export const memoryDefinitions = (definitions?: FlagDefinitions): MemoryDefinitions => {
  let current: LoadedDefinitions | undefined
  let endFirst: () => void = () => undefined
  const first = new Promise<void>((resolve) => (endFirst = resolve))
  const calls: string[] = []
  const loader: MemoryDefinitions = {
    calls,
    put(given) {
      current = given && { definitions: given, set: compile(given), loadedAt: LOADED_AT }
      endFirst()
    },
    start: () => void calls.push('start'),
    current: () => current,
    async firstLoad(timeoutMs) {
      calls.push(`firstLoad ${timeoutMs}`)
      await first
    },
    async ready(timeoutMs) {
      calls.push(`ready ${timeoutMs}`)
      await first
      return !!current
    },
    reload: async () => void calls.push('reload'),
    shutdown: async () => void calls.push('shutdown'),
  }
  if (definitions) loader.put(definitions)
  return loader
}

/** A flag that is on for all, but for what the test says. */
export const flagOf = (key: string, more: Partial<FlagDefinition> = {}): FlagDefinition => ({
  id: 1,
  key,
  active: true,
  filters: { groups: [{}] },
  ...more,
})

/** A flag for those with these person properties. */
export const flagFor = (properties: Readonly<Record<string, string>>): Partial<FlagDefinition> => ({
  filters: { groups: [{ properties: Object.entries(properties).map(([key, value]) => ({ key, value })) }] },
})

/** One flag in an answer of `/flags/?v=2`. */
export const detailOf = (value: boolean | string, metadata: object = {}): object => ({
  enabled: value !== false,
  variant: typeof value === 'string' ? value : null,
  reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
  metadata: { id: 7, version: 3, payload: null, ...metadata },
})

/** Answers of both generations of the protocol, by the path that was asked. */
export const answered = (
  values: Readonly<Record<string, boolean | string>>,
  { payloads = {}, ...more }: { readonly payloads?: Readonly<Record<string, string>> } & Record<string, unknown> = {},
) => ({
  decide: {
    config: { enable_collect_everything: true },
    toolbarParams: {},
    isAuthenticated: false,
    supportedCompression: ['gzip', 'lz64'],
    featureFlags: values,
    featureFlagPayloads: payloads,
    errorsWhileComputingFlags: false,
    requestId: 'r1',
    ...more,
  },
  flags: {
    flags: Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, detailOf(value, { payload: payloads[key] ?? null })]),
    ),
    errorsWhileComputingFlags: false,
    requestId: 'r1',
    ...more,
  },
})

export interface ServerFixture extends RecordingSend {
  readonly flags: NodeFlags
  readonly verbs: NodeFlags['verbs']
  readonly clock: ManualClock
  /** `$feature_flag_called` events; undefined properties left out as on the wire. */
  readonly events: (FlagEvent & { readonly only?: RegExp })[]
  readonly warnings: unknown[][]
  /** How often the process is held at this moment. */
  held(): number
  /** Paths of the requests so far. */
  paths(): string[]
  context: RequestContext | undefined
  optedOut: boolean
  /** What the next captures answer. */
  accepts: boolean
  /** Called within each capture. */
  onCapture: () => void
  answer: (index: number) => Scripted | Promise<Scripted>
}

/** The flags of a server over a clock, a network and definitions that the test owns. */
export const serverFixture = (
  options: Partial<NodeFlagsOptions> = {},
  definitions?: DefinitionsLoader,
): ServerFixture => {
  const clock = manualClock()
  const network = recordingSend((_request, index) => own.answer(index))
  const events: ServerFixture['events'] = []
  const warnings: unknown[][] = []
  let holds = 0
  const own: Omit<ServerFixture, 'flags' | 'verbs'> = {
    ...network,
    clock,
    events,
    warnings,
    held: () => holds,
    paths: () => network.requests.map(({ url }) => url.replace('https://waymark.test', '')),
    context: undefined,
    optedOut: false,
    accepts: true,
    onCapture: () => undefined,
    answer: () => [200, answered({}).decide],
  }
  const flags = createNodeFlags(
    {
      host: 'https://waymark.test',
      apiKey: 'key',
      featureFlagsRequestTimeoutMs: 3_000,
      featureFlagsRequestMaxRetries: 1,
      disableGeoip: false,
      strictLocalEvaluation: false,
      maxFlagCalledEntries: 50_000,
      ...options,
    },
    {
      clock,
      send: network.send,
      logger: { debug: () => {}, warn: (...message) => warnings.push(message) },
      hold() {
        holds++
        return () => void holds--
      },
      contexts: { current: () => own.context },
      isOptedOut: () => own.optedOut,
      definitions,
      capture(event, only) {
        own.onCapture()
        if (own.accepts)
          events.push({ ...event, properties: JSON.parse(JSON.stringify(event.properties)), ...(only && { only }) })
        return own.accepts
      },
    },
  )
  return Object.assign(own, { flags, verbs: flags.verbs })
}
