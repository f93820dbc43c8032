import type { Clock } from '../../../port/clock.ts'
import { parseRetryAfterMs } from '../../../wire/retry-after.ts'
import { classifyDefinitionsResponse } from './classify-definitions-response.ts'
import type { CurrentDefinitions } from './current-definitions.ts'
import type { DefinitionsCache } from './definitions-cache.ts'
import type { FetchDefinitions } from './fetch-definitions.ts'
import type { ResultHandler } from './result-handler.ts'

/** Where definitions come from, and where they go. */
export interface LoadDefinitionsPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly definitions: CurrentDefinitions
  readonly results: ResultHandler
  readonly fetchDefinitions: FetchDefinitions
  /** Whether there is a key that the service accepts for definitions. Without one, only the cache is read where there is one. */
  readonly canFetch: boolean
  readonly cache: DefinitionsCache | undefined
  /** While true, no result is applied. */
  readonly isClosed: () => boolean
}

/** Maximum repeats of a request because other definitions arrived while it was in flight. */
const MAX_STALE_RETRIES = 3

/** Creates a function that loads the definitions once: from the service, or from the cache if that asks for it. */
export const createLoadDefinitions = ({
  clock,
  definitions,
  results,
  fetchDefinitions,
  canFetch,
  cache,
  isClosed,
}: LoadDefinitionsPorts): (() => Promise<void>) => {
  /** @param cacheToFill Stores the loaded definitions. */
  const loadFromService = async (cacheToFill: DefinitionsCache | undefined): Promise<void> => {
    for (let retries = 0; ; retries++) {
      const revision = definitions.revision()
      const latest = definitions.latest()
      const response = await fetchDefinitions(latest?.etag)
      if (isClosed()) return
      // Other definitions arrived while the request was in flight, and may be newer than the response.
      if (definitions.revision() !== revision && retries < MAX_STALE_RETRIES) continue
      const result = classifyDefinitionsResponse(response, latest)
      await results.apply(result, parseRetryAfterMs(response.retryAfter, clock.now()))
      if (result.kind === 'loaded') await cacheToFill?.store(result.received.definitions)
      return
    }
  }

  const loadFromCache = async ({ read }: DefinitionsCache): Promise<void> => {
    const result = await read()
    if (isClosed()) return
    if (result?.kind === 'loaded' || definitions.latest() || !canFetch)
      return results.apply(result ?? { kind: 'failed', reason: 'the cache is empty' })
    if (result && 'reason' in result) results.report(result)
    // An extra request is better than no flags. Only the process that should fetch fills the cache, so this one does not.
    return loadFromService(undefined)
  }

  return async () => {
    const cacheToRead = cache && !(canFetch && (await cache.shouldFetch())) ? cache : undefined
    if (isClosed()) return
    await (cacheToRead ? loadFromCache(cacheToRead) : loadFromService(cache))
  }
}
