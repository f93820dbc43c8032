import { forbidden, notFound } from '../http-error.ts'
import { effectiveLevel, nameLevel } from '../permission/levels.ts'
import type { PersonalApiKey, PersonalApiKeyFields } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { listStandings } from '../store/metadata/projects.ts'
import type { Project } from '../store/metadata/projects.ts'
import type { Caller, KeyHolder } from './caller.ts'
import { hasScope } from '../permission/scopes.ts'
import type { Scope } from '../permission/scopes.ts'
import { parseNumericId } from '../parse-numeric-id.ts'

/** A project that a caller may see, and the caller's level in it. */
export interface ProjectAccess {
  readonly project: Project
  readonly level: number
}

/** The id that means the project, organisation or user of the key. */
export const CURRENT = '@current'

const isWithinKey = ({ projectIds, organizationIds }: PersonalApiKeyFields, project: Project): boolean =>
  (projectIds.length === 0 || projectIds.includes(project.id)) &&
  (organizationIds.length === 0 || organizationIds.includes(project.organizationId))

const listAccess = async (metadata: Metadata, { key, user }: KeyHolder, id?: number): Promise<ProjectAccess[]> =>
  (await listStandings(metadata, user.id, id)).flatMap(({ project, ...standing }) => {
    const level = effectiveLevel({ ...standing, isPrivate: project.isPrivate })
    return level !== null && isWithinKey(key, project) ? [{ project, level }] : []
  })

/** The projects that a user with a key may see, oldest first. */
export const listProjectAccess = (metadata: Metadata, holder: KeyHolder): Promise<readonly ProjectAccess[]> =>
  listAccess(metadata, holder)

/**
 * Finds a project that the caller may see. `@current` is the first project that the key is limited to; without such a limit, the oldest
 * project that the caller may see. Throws `HttpError` (404) for a project that does not exist and for one that the caller may not
 * see, without a difference.
 */
export const findProjectAccess = async (metadata: Metadata, caller: Caller, id: string): Promise<ProjectAccess> => {
  const number = parseNumericId(id)
  // When the first project of a key is lost, `@current` must not become another one: the request may change it.
  const [access] =
    id === CURRENT || number !== null ? await listAccess(metadata, caller, number ?? caller.key.projectIds[0]) : []
  if (access) return access
  throw notFound(
    id === CURRENT
      ? 'There is no project that this personal API key may see.'
      : `There is no project ${id} that this personal API key may see.`,
  )
}

/** Throws `HttpError` (403) for a key without this scope. */
export const requireScope = ({ scopes }: PersonalApiKey, scope: Scope): void => {
  if (hasScope(scopes, scope)) return
  throw forbidden('permission_denied', `The personal API key lacks the scope "${scope}". Use a key that has it.`)
}

/** Throws `HttpError` (403) for a key that is limited to some projects: it must not change what others share with them. */
export const requireAllProjects = ({ projectIds }: PersonalApiKey): void => {
  if (projectIds.length === 0) return
  throw forbidden(
    'permission_denied',
    'The personal API key is limited to some projects, so it can change nothing outside of them.',
  )
}

/** Throws `HttpError` (403) when the caller's level is lower than `needed`. `where` completes "your level in …". */
export const requireLevel = (level: number, needed: number, where: string): void => {
  if (level >= needed) return
  throw forbidden(
    'permission_denied',
    `This needs level ${needed} (${nameLevel(needed)}); your level in ${where} is ${level} (${nameLevel(level)}).`,
  )
}
