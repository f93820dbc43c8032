import { forbidden, unauthenticated } from '../refusal.ts'
import { findPersonalApiKey } from '../store/metadata/keys.ts'
import type { PersonalApiKey, Scope } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** Who asks, for which project, and what for. */
export interface Access {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** The project in the path; `@current` is that of the key. */
  readonly projectId: string
  readonly scope: Scope
}

/**
 * The personal api key of a request that may do what it asks for. Throws `Refusal`: 401 without a valid key, 403 when the
 * key lacks the scope or is another project's; whether that project exists is not told.
 */
export const authorize = async (
  metadata: Metadata,
  { authorization, projectId, scope }: Access,
): Promise<PersonalApiKey> => {
  const key = await personalKeyOf(metadata, authorization)
  if (projectId !== '@current' && String(key.projectId) !== projectId) {
    throw forbidden('permission_denied', 'This personal api key is not for this project.')
  }
  requireScope(key, scope)
  return key
}

/** The personal api key in an `Authorization` header. Throws `Refusal` (401) for none and for one that does not exist. */
export const personalKeyOf = async (metadata: Metadata, authorization: string | undefined): Promise<PersonalApiKey> => {
  const secret = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (secret === undefined) {
    throw unauthenticated(
      'not_authenticated',
      'Send a personal api key as "Authorization: Bearer <key>".',
      'authorization',
    )
  }
  const key = await findPersonalApiKey(metadata, secret)
  if (key === undefined) {
    throw unauthenticated('invalid_personal_api_key', 'This personal api key does not exist.', 'authorization')
  }
  return key
}

/** Throws `Refusal` (403) for a key without this scope. */
export const requireScope = (key: PersonalApiKey, scope: Scope): void => {
  if (key.scopes.includes(scope)) return
  throw forbidden('permission_denied', `This personal api key lacks the scope "${scope}".`)
}
