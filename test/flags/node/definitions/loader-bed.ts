import { createDefinitionsLoader } from '../../../../src/flags/node/definitions/create-loader.ts'
import type { LoaderPorts } from '../../../../src/flags/node/definitions/create-loader.ts'
import type { FlagDefinitionCacheProvider } from '../../../../src/flags/node/definitions/cache-provider.ts'
import type { DefinitionsOptions } from '../../../../src/flags/node/definitions/options.ts'
import type { DefinitionsLoader } from '../../../../src/flags/node/definitions-loader.ts'
import type { SendAnswer, SendRequest } from '../../../../src/port/send.ts'
import type { FlagDefinition, FlagDefinitions } from '../../../../src/wire/definition.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import type { ManualClock } from '../../../support/manual-clock.ts'

/** Flags that are on for everybody, as the feed tells them. */
export const feedOf = (...keys: readonly string[]): FlagDefinitions => ({
  flags: keys.map((key, index): FlagDefinition => ({ id: index + 1, key, active: true, filters: { groups: [{}] } })),
  group_type_mapping: {},
  cohorts: {},
})

export const found = (feed: object, etag: string | null = null): SendAnswer => ({
  status: 200,
  body: JSON.stringify(feed),
  retryAfter: null,
  etag,
})

export const status = (status: number, more: Partial<SendAnswer> = {}): SendAnswer => ({
  status,
  body: '',
  retryAfter: null,
  etag: null,
  ...more,
})

/** A loader on a clock and a network that the test leads. */
export interface LoaderBed {
  readonly loader: DefinitionsLoader
  readonly clock: ManualClock
  readonly requests: SendRequest[]
  readonly warnings: string[]
  readonly debugs: string[]
  /** Keys of the flags in use. */
  keys(): readonly string[] | undefined
  /** Headers of the request, without the key's. */
  headers(index: number): Readonly<Record<string, string>>
}

type Answer = SendAnswer | Promise<SendAnswer>

export interface BedOptions extends Partial<DefinitionsOptions> {
  /** Replaces ports. */
  readonly ports?: Partial<LoaderPorts>
}

/** @param answers One for each request, in order; the last one for all that follow. */
export const loaderBed = (answers: readonly Answer[], { ports, ...options }: BedOptions = {}): LoaderBed => {
  const clock = manualClock()
  const requests: SendRequest[] = []
  const warnings: string[] = []
  const debugs: string[] = []
  const loader = createDefinitionsLoader(
    { host: 'https://flags.test', apiKey: 'wm key', personalApiKey: 'wmx_secret', requestTimeout: 10_000, ...options },
    {
      clock,
      send: async (request) => answers[Math.min(requests.push(request), answers.length) - 1]!,
      logger: {
        warn: (...message) => warnings.push(message.map(String).join(' ')),
        debug: (...message) => debugs.push(message.map(String).join(' ')),
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
      const { Authorization: _, ...others } = requests[index]!.headers!
      return others
    },
  }
}

/** A promise that the test settles. */
export const deferred = <T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } => {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}

/** A provider that keeps in memory and notes its calls, with the test's own methods in place. */
export const memoryProvider = (
  own: Partial<FlagDefinitionCacheProvider> = {},
): FlagDefinitionCacheProvider & { readonly calls: string[]; kept: unknown } => {
  const provider = {
    calls: [] as string[],
    kept: undefined as unknown,
    shouldFetchFlagDefinitions: (): boolean | Promise<boolean> => {
      provider.calls.push('decide')
      return own.shouldFetchFlagDefinitions?.() ?? true
    },
    getFlagDefinitions: () => {
      provider.calls.push('read')
      return (own.getFlagDefinitions ? own.getFlagDefinitions() : provider.kept) as FlagDefinitions | undefined
    },
    onFlagDefinitionsReceived: (definitions: unknown): unknown => {
      provider.calls.push('keep')
      provider.kept = definitions
      return own.onFlagDefinitionsReceived?.(definitions as never)
    },
    shutdown: (): unknown => {
      provider.calls.push('shutdown')
      return own.shutdown?.()
    },
  }
  return provider
}
