import { createDefinitionsLoader } from '../../../../src/flags/node/definitions/create-definitions-loader.ts'
import type { LoaderPorts } from '../../../../src/flags/node/definitions/create-definitions-loader.ts'
import type { FlagDefinitionCacheProvider } from '../../../../src/flags/node/definitions/cache-provider.ts'
import type { DefinitionsOptions } from '../../../../src/flags/node/definitions/definitions-options.ts'
import type { DefinitionsLoader } from '../../../../src/flags/node/definitions-loader.ts'
import type { SendResponse, SendRequest } from '../../../../src/port/send.ts'
import type { FlagDefinition, FlagDefinitions } from '../../../../src/wire/definition.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import type { ManualClock } from '../../../support/manual-clock.ts'

/** Definitions of flags that are on for everyone, as the service sends them. */
export const definitionsOf = (...keys: readonly string[]): FlagDefinitions => ({
  flags: keys.map((key, index): FlagDefinition => ({ id: index + 1, key, active: true, filters: { groups: [{}] } })),
  group_type_mapping: {},
  cohorts: {},
})

export const okResponse = (definitions: object, etag: string | null = null): SendResponse => ({
  status: 200,
  body: JSON.stringify(definitions),
  retryAfter: null,
  etag,
})

export const statusResponse = (status: number, changes: Partial<SendResponse> = {}): SendResponse => ({
  status,
  body: '',
  retryAfter: null,
  etag: null,
  ...changes,
})

/** A loader with a clock and a network that the test controls. */
export interface LoaderFixture {
  readonly loader: DefinitionsLoader
  readonly clock: ManualClock
  readonly requests: SendRequest[]
  readonly warnings: string[]
  /** The entries of debug mode. */
  readonly debugs: (readonly unknown[])[]
  /** Keys of the flags in use. */
  keys(): readonly string[] | undefined
  /** Headers of the request, except `Authorization`. */
  headers(index: number): Readonly<Record<string, string>>
}

type Response = SendResponse | Promise<SendResponse>

export interface LoaderFixtureOptions extends Partial<DefinitionsOptions> {
  /** Ports that replace those of the fixture. */
  readonly ports?: Partial<LoaderPorts>
}

/** @param responses One for each request, in order; the last one repeats. */
export const loaderFixture = (
  responses: readonly Response[],
  { ports, ...options }: LoaderFixtureOptions = {},
): LoaderFixture => {
  const clock = manualClock()
  const requests: SendRequest[] = []
  const warnings: string[] = []
  const debugs: (readonly unknown[])[] = []
  const loader = createDefinitionsLoader(
    { host: 'https://flags.test', apiKey: 'wm key', personalApiKey: 'wmx_secret', requestTimeout: 10_000, ...options },
    {
      clock,
      send: async (request) => responses[Math.min(requests.push(request), responses.length) - 1]!,
      logger: {
        warn: (...message) => warnings.push(message.map(String).join(' ')),
        debug: (...entry) => debugs.push(entry),
      },
      ...ports,
    },
  )
  return {
    loader,
    clock,
    requests,
    warnings,
    debugs,
    keys: () => loader.current()?.definitions.flags.map(({ key }) => key),
    headers: (index) => {
      const { Authorization: _, ...headers } = requests[index]!.headers!
      return headers
    },
  }
}

/** A promise that the test resolves. */
export const deferred = <T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } => {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}

/** A cache provider in memory that records its calls; `methods` replaces its methods. */
export const memoryProvider = (
  methods: Partial<FlagDefinitionCacheProvider> = {},
): FlagDefinitionCacheProvider & { readonly calls: string[]; stored: unknown } => {
  const provider = {
    calls: [] as string[],
    stored: undefined as unknown,
    shouldFetchFlagDefinitions: (): boolean | Promise<boolean> => {
      provider.calls.push('shouldFetch')
      return methods.shouldFetchFlagDefinitions?.() ?? true
    },
    getFlagDefinitions: () => {
      provider.calls.push('read')
      return (methods.getFlagDefinitions ? methods.getFlagDefinitions() : provider.stored) as
        | FlagDefinitions
        | undefined
    },
    onFlagDefinitionsReceived: (definitions: unknown): unknown => {
      provider.calls.push('store')
      provider.stored = definitions
      return methods.onFlagDefinitionsReceived?.(definitions as never)
    },
    shutdown: (): unknown => {
      provider.calls.push('shutdown')
      return methods.shutdown?.()
    },
  }
  return provider
}
