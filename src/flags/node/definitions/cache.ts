import type { Clock } from '../../../port/clock.ts'
import type { FlagDefinitions } from '../../../wire/definition.ts'
import type { FlagDefinitionCacheProvider } from './cache-provider.ts'
import { cachedForm, feedForm } from './cached-form.ts'
import type { Verdict } from './judge.ts'

/** A cache provider whose failures and delays are contained. No call rejects. */
export interface DefinitionsCache {
  /** Whether the service is to be asked; yes when that cannot be learned. */
  decide(): Promise<boolean>
  /** Undefined when the cache is empty. */
  read(): Promise<Verdict | undefined>
  keep(definitions: FlagDefinitions): Promise<void>
  shutdown(): Promise<void>
}

/**
 * @param timeoutMs How long one call may take.
 * @param warn Told what has failed, of several times in a row once. Of reads the verdict tells.
 */
export const createDefinitionsCache = (
  provider: FlagDefinitionCacheProvider,
  clock: Clock,
  timeoutMs: number,
  warn: (message: string) => void,
): DefinitionsCache => {
  const failing = new Set<string>()
  const attempt = async <T>(what: string, call: () => T | Promise<T>, otherwise: T): Promise<T> => {
    try {
      const answer = await within(clock, timeoutMs, call)
      failing.delete(what)
      return answer
    } catch (error) {
      if (!failing.has(what)) warn(`the flag definition cache does not ${what}: ${String(error)}`)
      failing.add(what)
      return otherwise
    }
  }

  return {
    decide: () => attempt('tell who asks the service', () => provider.shouldFetchFlagDefinitions(), true),
    async read() {
      try {
        const given = await within(clock, timeoutMs, () => provider.getFlagDefinitions())
        const definitions = feedForm(given)
        if (!definitions) return given ? { kind: 'failed', why: 'the cache holds something else' } : undefined
        // No tag: they may be older than what the service told this process, or newer.
        return { kind: 'found', found: { definitions, text: JSON.stringify(definitions), etag: undefined } }
      } catch (error) {
        return { kind: 'failed', why: 'the cache cannot be read', detail: String(error) }
      }
    },
    async keep(definitions) {
      await attempt('keep them', () => provider.onFlagDefinitionsReceived(cachedForm(definitions)), undefined)
    },
    async shutdown() {
      await attempt('shut down', () => provider.shutdown(), undefined)
    },
  }
}

/** What a call answers; rejects when it throws, or takes longer. */
const within = <T>(clock: Clock, timeoutMs: number, call: () => T | Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = clock.after(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs} ms`)))
    void (async () => call())().then(resolve, reject).finally(giveUp)
  })
