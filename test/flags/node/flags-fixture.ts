import { compile } from '../../../src/evaluate/compile.ts'
import type { DefinitionsLoader, LoadedDefinitions } from '../../../src/flags/node/definitions-loader.ts'
import type { NodeFlagsOptions } from '../../../src/flags/node/node-flags-options.ts'
import type { FlagEvent } from '../../../src/flags/node/node-flags-ports.ts'
import { createNodeFlags } from '../../../src/flags/node/node-flags.ts'
import type { NodeFlags } from '../../../src/flags/node/node-flags.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import type { FlagDefinition, FlagDefinitions } from '../../../src/wire/definition.ts'
import { manualClock } from '../../support/manual-clock.ts'
import type { ManualClock } from '../../support/manual-clock.ts'
import { recordingSend } from '../../support/recording-send.ts'
import type { RecordingSend, ScriptedResponse } from '../../support/recording-send.ts'

/** Load time of the tests' definitions, in ms since 1970. */
export const LOADED_AT = 1_000

/** A loader in memory whose definitions the test sets. */
export interface MemoryDefinitions extends DefinitionsLoader {
  /** Sets or, with undefined, removes the definitions. Ends the first load. */
  set(definitions: FlagDefinitions | undefined): void
  /** The calls of the loader's methods. */
  readonly calls: string[]
}

/** @param definitions Undefined: the first load is still running. */
export const memoryDefinitions = (definitions?: FlagDefinitions): MemoryDefinitions => {
  let current: LoadedDefinitions | undefined
  let endFirstLoad: () => void = () => undefined
  const firstLoad = new Promise<void>((resolve) => (endFirstLoad = resolve))
  const calls: string[] = []
  const loader: MemoryDefinitions = {
    calls,
    set(newDefinitions) {
      current = newDefinitions && {
        definitions: newDefinitions,
        compiled: compile(newDefinitions),
        loadedAt: LOADED_AT,
      }
      endFirstLoad()
    },
    start: () => void calls.push('start'),
    current: () => current,
    async waitForFirstLoad(timeoutMs) {
      calls.push(`waitForFirstLoad ${timeoutMs}`)
      await firstLoad
    },
    async waitUntilReady(timeoutMs) {
      calls.push(`waitUntilReady ${timeoutMs}`)
      await firstLoad
      return !!current
    },
    reload: async () => void calls.push('reload'),
    shutdown: async () => void calls.push('shutdown'),
  }
  if (definitions) loader.set(definitions)
  return loader
}

/** A flag that is on for everyone, unless `changes` replace its conditions. */
export const flagOf = (key: string, changes: Partial<FlagDefinition> = {}): FlagDefinition => ({
  id: 1,
  key,
  active: true,
  filters: { groups: [{}] },
  ...changes,
})

/** A flag that is on for users with these person properties. */
export const flagFor = (properties: Readonly<Record<string, string>>): Partial<FlagDefinition> => ({
  filters: { groups: [{ properties: Object.entries(properties).map(([key, value]) => ({ key, value })) }] },
})

/** One flag in a response of `/flags/?v=2`. */
export const detailOf = (value: boolean | string, metadata: object = {}): object => ({
  enabled: value !== false,
  variant: typeof value === 'string' ? value : null,
  reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
  metadata: { id: 7, version: 3, payload: null, ...metadata },
})

/** Responses of both generations of the flag endpoint. */
export const flagResponses = (
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

export interface NodeFlagsFixture extends RecordingSend {
  readonly flags: NodeFlags
  readonly verbs: NodeFlags['verbs']
  readonly clock: ManualClock
  /** Captured `$feature_flag_called` events, without undefined properties. */
  readonly events: (FlagEvent & { readonly allowedNames?: RegExp })[]
  readonly warnings: unknown[][]
  /** Number of calls of `keepAlive` that are not released yet. */
  keepAlives(): number
  /** Paths of the requests so far. */
  paths(): string[]
  context: RequestContext | undefined
  isOptedOut: boolean
  /** The result of later captures. */
  acceptsEvents: boolean
  /** Called inside each capture. */
  onCapture: () => void
  respond: (index: number) => ScriptedResponse | Promise<ScriptedResponse>
}

/** Node flags with a clock, a network and definitions that the test controls. */
export const nodeFlagsFixture = (
  options: Partial<NodeFlagsOptions> = {},
  definitions?: DefinitionsLoader,
): NodeFlagsFixture => {
  const clock = manualClock()
  const network = recordingSend((_request, index) => fixture.respond(index))
  const events: NodeFlagsFixture['events'] = []
  const warnings: unknown[][] = []
  let keepAlives = 0
  const fixture: Omit<NodeFlagsFixture, 'flags' | 'verbs'> = {
    ...network,
    clock,
    events,
    warnings,
    keepAlives: () => keepAlives,
    paths: () => network.requests.map(({ url }) => url.replace('https://waymark.test', '')),
    context: undefined,
    isOptedOut: false,
    acceptsEvents: true,
    onCapture: () => undefined,
    respond: () => [200, flagResponses({}).decide],
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
      keepAlive() {
        keepAlives++
        return () => void keepAlives--
      },
      contexts: { current: () => fixture.context },
      isOptedOut: () => fixture.isOptedOut,
      definitions,
      capture(event, allowedNames) {
        fixture.onCapture()
        if (fixture.acceptsEvents)
          events.push({
            ...event,
            properties: JSON.parse(JSON.stringify(event.properties)),
            ...(allowedNames && { allowedNames }),
          })
        return fixture.acceptsEvents
      },
    },
  )
  return Object.assign(fixture, { flags, verbs: flags.verbs })
}
