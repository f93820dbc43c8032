import type { StringParams } from '../http/route.ts'
import { unauthenticated } from '../http-error.ts'
import type { Project } from '../store/metadata/projects.ts'
import type { AuthenticateProject } from './project-authenticator.ts'

/**
 * Finds the project of a public URL by its API key, in `?token=` or `?api_key=`. Throws `HttpError` (401) for a missing or an
 * unknown key.
 */
export const authenticateQueryToken = async (
  { token, api_key }: StringParams,
  authenticateProject: AuthenticateProject,
  now: number,
  ip: string,
): Promise<Project> => {
  const key = token ?? api_key
  if (key === undefined)
    throw unauthenticated('missing_api_key', 'The project API key is missing; send it as "?token=<key>".', 'token')
  return authenticateProject(key, now, ip)
}
