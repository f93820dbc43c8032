import type { Texts } from '../http/route.ts'
import { unauthenticated } from '../refusal.ts'
import type { Project } from '../store/metadata/projects.ts'
import type { ProjectOfKey } from './project-keys.ts'

/**
 * The project that a public address names by its api key, as `?token=` or `?api_key=`. Throws `Refusal` (401) for a missing
 * or an unknown key.
 */
export const publicProject = async (
  { token, api_key }: Texts,
  projectOfKey: ProjectOfKey,
  now: number,
): Promise<Project> => {
  const key = token ?? api_key
  if (key === undefined)
    throw unauthenticated('missing_api_key', 'Name the project by its api key: "?token=<key>".', 'token')
  return projectOfKey(key, now)
}
