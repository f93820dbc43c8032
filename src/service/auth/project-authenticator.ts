import { unauthenticated } from '../http-error.ts'
import { findProjectByApiKey } from '../store/metadata/projects.ts'
import type { Project } from '../store/metadata/projects.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { WatchChanges } from '../store/metadata/watch-changes.ts'

/**
 * How long a key is cached: a deleted key keeps working for at most this time, unless the metadata cannot be read. `watchChanges` tells of it
 * earlier.
 */
const CACHE_TTL_MS = 10_000

const EXPIRED = Number.NEGATIVE_INFINITY

/** Finds the project of a project API key. Throws `HttpError` (401) for a missing or an unknown key. */
export type AuthenticateProject = (apiKey: string | null, now: number) => Promise<Project>

/**
 * Caches valid keys, so that most requests cost no query. Unknown keys are looked up at every request. While the metadata cannot be read,
 * cached keys stay valid: events are acknowledged without it.
 */
export const createProjectAuthenticator = (metadata: Metadata, watchChanges?: WatchChanges): AuthenticateProject => {
  const cache = new Map<string, { readonly project: Project; readonly readMs: number }>()
  let changes = 0
  watchChanges?.((projectId) => {
    changes += 1
    // Not deleted: the key stays valid while the metadata cannot be read.
    for (const [key, { project }] of cache)
      if (projectId === null || project.id === projectId) cache.set(key, { project, readMs: EXPIRED })
  })
  return async (apiKey, now) => {
    if (apiKey === null) {
      throw unauthenticated(
        'missing_api_key',
        'The project API key is missing; send it in the body as "api_key".',
        'api_key',
      )
    }
    const cachedEntry = cache.get(apiKey)
    // The absolute difference, because a clock that was set back must not keep a key in the cache.
    if (cachedEntry !== undefined && Math.abs(now - cachedEntry.readMs) < CACHE_TTL_MS) return cachedEntry.project
    const changesBefore = changes
    const project = await findProjectByApiKey(metadata, apiKey).catch((error: unknown) => {
      if (cachedEntry === undefined) throw error
      return cachedEntry.project
    })
    if (project === undefined) {
      cache.delete(apiKey)
      throw unauthenticated('invalid_api_key', 'No project has this API key. Check the project API key.', 'api_key')
    }
    cache.set(apiKey, { project, readMs: changes === changesBefore ? now : EXPIRED })
    return project
  }
}
