import { unauthenticated } from '../http-error.ts'
import { findPersonalApiKey } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findUserById } from '../store/metadata/users.ts'
import type { Caller } from './caller.ts'

/** Dependencies of `createAuthenticate`. */
export interface AuthenticateParts {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Finds the caller of a request by the personal API key in its `Authorization` header. Throws `HttpError` (401) for a missing,
 * unknown or expired key.
 */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>

/** Keys are read for every request, so a change of a key, also by another process, is effective at once. */
export const createAuthenticate =
  ({ metadata, now }: AuthenticateParts): Authenticate =>
  async (authorization) => {
    const secret = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (secret === undefined) {
      throw unauthenticated(
        'not_authenticated',
        'A personal API key is missing; send it as "Authorization: Bearer <key>".',
        'authorization',
      )
    }
    const key = await findPersonalApiKey(metadata, secret)
    const user = key && (await findUserById(metadata, key.userId))
    if (key === undefined || user === undefined) {
      throw unauthenticated(
        'invalid_personal_api_key',
        'The personal API key is unknown or revoked. Check it, or create one with "waymark-service key create".',
        'authorization',
      )
    }
    if (key.expiresAt !== null && key.expiresAt <= now()) {
      throw unauthenticated(
        'expired_personal_api_key',
        `The personal API key expired on ${new Date(key.expiresAt).toISOString()}. Create another one.`,
        'authorization',
      )
    }
    return { key, user }
  }
