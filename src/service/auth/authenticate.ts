import { HttpError, unauthenticated } from '../http-error.ts'
import { recordKeyUse } from '../store/metadata/keys.ts'
import type { PersonalApiKey } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { Caller } from './caller.ts'
import { readCaller } from './read-caller.ts'
import type { CountWrongKey } from './wrong-keys.ts'

const MINUTE_MS = 60_000

/** Dependencies of `createAuthenticate`. */
export interface AuthenticateParts {
  readonly metadata: Metadata
  readonly countWrongKey: CountWrongKey
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called when the last use of a key could not be stored, for the log. */
  readonly onError: (error: unknown) => void
}

/** What identifies the sender of a request. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  readonly ip: string
}

/**
 * Finds the caller of a request by the personal API key in its `Authorization` header. Throws `HttpError`: 401 for a missing,
 * unknown or expired key, 429 for an IP address, or IPv6 network, that sent too many wrong keys. A valid key is accepted nevertheless, because
 * many clients may share an address.
 */
export type Authenticate = (credentials: Credentials) => Promise<Caller>

/** Keys are read for every request, so a change of a key, also by another process, is effective at once. */
export const createAuthenticate = ({ metadata, countWrongKey, now, onError }: AuthenticateParts): Authenticate => {
  /** The time of the last use is for people, so a request does not fail when it cannot be stored. */
  const recordUse = async ({ id, lastUsedAt }: PersonalApiKey): Promise<void> => {
    const minuteMs = Math.floor(now() / MINUTE_MS) * MINUTE_MS
    if (minuteMs !== lastUsedAt) await recordKeyUse(metadata, id, minuteMs).catch(onError)
  }
  return async ({ authorization, ip }) => {
    const secret = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (secret === undefined) {
      throw unauthenticated(
        'not_authenticated',
        'A personal API key is missing; send it as "Authorization: Bearer <key>".',
        'authorization',
      )
    }
    const caller = await readCaller(metadata, secret, now()).catch((error: unknown) => {
      if (error instanceof HttpError) countWrongKey(ip, now())
      throw error
    })
    await recordUse(caller.key)
    return caller
  }
}
