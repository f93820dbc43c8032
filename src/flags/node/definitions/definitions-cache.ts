import type { Clock } from '../../../port/clock.ts'
import { withTimeout } from '../../../lib/with-timeout.ts'
import type { FlagDefinitions } from '../../../wire/definition.ts'
import type { FlagDefinitionCacheProvider } from './cache-provider.ts'
import { toCachedDefinitions, fromCachedDefinitions } from './cached-definitions.ts'
import type { LoadResult } from './classify-definitions-response.ts'

/** Wraps a cache provider: handles its failures, and limits the time of its calls. No method rejects. */
export interface DefinitionsCache {
  /** Whether to request the definitions from the service; true if the provider fails. */
  shouldFetch(): Promise<boolean>
  /** Undefined if the cache is empty. */
  read(): Promise<LoadResult | undefined>
  store(definitions: FlagDefinitions): Promise<void>
  shutdown(): Promise<void>
}

/**
 * @param timeoutMs Timeout of one call of the provider.
 * @param warn Called for the first of consecutive failures of a method. A failed read is reported by its result instead.
 */
export const createDefinitionsCache = (
  provider: FlagDefinitionCacheProvider,
  clock: Clock,
  timeoutMs: number,
  warn: (message: string) => void,
): DefinitionsCache => {
  const failingMethods = new Set<string>()
  const attempt = async <T>(method: string, call: () => T | Promise<T>, fallback: T): Promise<T> => {
    try {
      const result = await callInTime(clock, timeoutMs, call)
      failingMethods.delete(method)
      return result
    } catch (error) {
      if (!failingMethods.has(method)) warn(`the flag definition cache failed in ${method}(): ${String(error)}`)
      failingMethods.add(method)
      return fallback
    }
  }

  return {
    shouldFetch: () => attempt('shouldFetchFlagDefinitions', () => provider.shouldFetchFlagDefinitions(), true),
    async read() {
      try {
        const cached = await callInTime(clock, timeoutMs, () => provider.getFlagDefinitions())
        const definitions = fromCachedDefinitions(cached)
        if (!definitions) return cached ? { kind: 'failed', reason: 'the cache has no flag definitions' } : undefined
        // Without a tag, because these definitions may be older or newer than the service's last response to this process.
        return { kind: 'loaded', received: { definitions, json: JSON.stringify(definitions), etag: undefined } }
      } catch (error) {
        return { kind: 'failed', reason: 'the cache cannot be read', detail: String(error) }
      }
    },
    async store(definitions) {
      await attempt(
        'onFlagDefinitionsReceived',
        () => provider.onFlagDefinitionsReceived(toCachedDefinitions(definitions)),
        undefined,
      )
    },
    async shutdown() {
      await attempt('shutdown', () => provider.shutdown(), undefined)
    },
  }
}

/** Rejects if the call fails or takes longer than `timeoutMs`. */
const callInTime = async <T>(clock: Clock, timeoutMs: number, call: () => T | Promise<T>): Promise<T> => {
  const response = await withTimeout(clock, timeoutMs, (async () => ({ value: await call() }))())
  if (!response) throw new Error(`no response within ${timeoutMs} ms`)
  return response.value
}
