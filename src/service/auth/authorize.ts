import { forbidden, unauthenticated } from '../http-error.ts'
import { findPersonalApiKey } from '../store/metadata/keys.ts'
import type { PersonalApiKey, Scope } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** The key, project and scope of a request. */
export interface AccessRequest {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** The project id in the path; `@current` means the project of the key. */
  readonly projectId: string
  readonly scope: Scope
}

/**
 * Returns the personal API key of a request if it allows the request. Throws `HttpError`: 401 without a valid key, 403 when
 * the key lacks the scope or belongs to another project. The error does not reveal whether that project exists.
 */
export const authorize = async (
  metadata: Metadata,
  { authorization, projectId, scope }: AccessRequest,
): Promise<PersonalApiKey> => {
  const key = await authenticatePersonalKey(metadata, authorization)
  if (projectId !== '@current' && String(key.projectId) !== projectId) {
    throw forbidden('permission_denied', 'This personal API key belongs to another project. Use a key of this project.')
  }
  requireScope(key, scope)
  return key
}

/** Looks up the personal API key in an `Authorization` header. Throws `HttpError` (401) for a missing or unknown key. */
export const authenticatePersonalKey = async (
  metadata: Metadata,
  authorization: string | undefined,
): Promise<PersonalApiKey> => {
  const secret = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (secret === undefined) {
    throw unauthenticated(
      'not_authenticated',
      'A personal API key is missing; send it as "Authorization: Bearer <key>".',
      'authorization',
    )
  }
  const key = await findPersonalApiKey(metadata, secret)
  if (key === undefined) {
    throw unauthenticated(
      'invalid_personal_api_key',
      'The personal API key is unknown. Check it, or create one with "waymark-service key create".',
      'authorization',
    )
  }
  return key
}

/** Throws `HttpError` (403) for a key without this scope. */
export const requireScope = (key: PersonalApiKey, scope: Scope): void => {
  if (key.scopes.includes(scope)) return
  throw forbidden('permission_denied', `The personal API key lacks the scope "${scope}". Use a key that has it.`)
}
