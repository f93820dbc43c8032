import { unauthenticated } from '../http-error.ts'
import { PERSONAL_KEY_MISPLACED, readKeyForm } from './key-form.ts'
import type { CountWrongKey } from './wrong-keys.ts'
import { createReadCache } from '../read-cache.ts'
import { findProjectByApiKey } from '../store/metadata/projects.ts'
import type { Project } from '../store/metadata/projects.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { WatchChanges } from '../store/metadata/watch-changes.ts'

/**
 * How long a key is cached: a deleted key keeps working for at most this time, unless the metadata cannot be read. `watchChanges` tells of it
 * earlier.
 */
const CACHE_TTL_MS = 10_000

/**
 * Finds the project of a project API key. Throws `HttpError`: 401 for a missing or an unknown key, 429 for an IP address, or IPv6 network,
 * that sent too many unknown ones.
 */
export type AuthenticateProject = (apiKey: string | null, now: number, ip: string) => Promise<Project>

/**
 * Caches valid keys, so that most requests cost no query. Unknown keys are looked up at every request. While the metadata cannot be read,
 * cached keys stay valid: events are acknowledged without it.
 */
export const createProjectAuthenticator = (
  metadata: Metadata,
  countWrongKey: CountWrongKey,
  watchChanges?: WatchChanges,
): AuthenticateProject => {
  const projects = createReadCache({
    read: (apiKey: string) => findProjectByApiKey(metadata, apiKey),
    ttlMs: CACHE_TTL_MS,
  })
  watchChanges?.((changedId) => projects.expire((_key, { id }) => changedId === null || id === changedId))
  return async (apiKey, now, ip) => {
    if (apiKey === null) {
      throw unauthenticated(
        'missing_api_key',
        'The project API key is missing; send it in the body as "api_key".',
        'api_key',
      )
    }
    const project = await projects.get(apiKey, now)
    if (project === undefined) {
      countWrongKey(ip, now)
      throw unauthenticated(
        'invalid_api_key',
        readKeyForm(apiKey) === 'personal'
          ? PERSONAL_KEY_MISPLACED
          : 'No project has this API key. Check the project API key.',
        'api_key',
      )
    }
    return project
  }
}
