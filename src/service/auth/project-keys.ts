import { unauthenticated } from '../refusal.ts'
import { projectByApiKey } from '../store/metadata/projects.ts'
import type { Project } from '../store/metadata/projects.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** How long a known key is believed without another look: a key that is taken away works no longer than that. */
const BELIEVED_MS = 10_000

/** Finds the project of a key. Throws `Refusal` (401) for a missing or an unknown key. */
export type ProjectOfKey = (apiKey: string | null, now: number) => Promise<Project>

/** Remembers the keys that were found, so that a request costs no query. Unknown keys are looked up each time. */
export const createProjectKeys = (metadata: Metadata): ProjectOfKey => {
  const known = new Map<string, { readonly project: Project; readonly foundAt: number }>()
  return async (apiKey, now) => {
    if (apiKey === null) {
      throw unauthenticated('missing_api_key', 'The body must carry the project api key as "api_key".', 'api_key')
    }
    const found = known.get(apiKey)
    // A clock that was turned back must not keep a key for ever.
    if (found !== undefined && Math.abs(now - found.foundAt) < BELIEVED_MS) return found.project
    const project = await projectByApiKey(metadata, apiKey)
    if (project === undefined) {
      known.delete(apiKey)
      throw unauthenticated('invalid_api_key', 'No project has this api key.', 'api_key')
    }
    known.set(apiKey, { project, foundAt: now })
    return project
  }
}
