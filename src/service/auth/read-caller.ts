import { unauthenticated } from '../http-error.ts'
import { findPersonalApiKey, findPersonalApiKeyById } from '../store/metadata/keys.ts'
import type { PersonalApiKey } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findUserById } from '../store/metadata/users.ts'
import type { Caller } from './caller.ts'
import { PROJECT_KEY_MISPLACED, readKeyForm } from './key-form.ts'

const toCaller = async (metadata: Metadata, key: PersonalApiKey | undefined, now: number): Promise<Caller> => {
  const user = key && (await findUserById(metadata, key.userId))
  if (key === undefined || user === undefined)
    throw unauthenticated(
      'invalid_personal_api_key',
      'The personal API key is unknown or revoked. Check it, or create one with "waymark-service key create".',
      'authorization',
    )
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw unauthenticated(
      'expired_personal_api_key',
      `The personal API key expired on ${new Date(key.expiresAt).toISOString()}. Create another one.`,
      'authorization',
    )
  return { key, user }
}

/** Reads the key with this plain text, and its user. Throws `HttpError` (401) for an unknown, revoked or expired key. */
export const readCaller = async (metadata: Metadata, secret: string, now: number): Promise<Caller> => {
  const key = await findPersonalApiKey(metadata, secret)
  if (key === undefined && readKeyForm(secret) === 'project')
    throw unauthenticated('invalid_personal_api_key', PROJECT_KEY_MISPLACED, 'authorization')
  return toCaller(metadata, key, now)
}

/** Reads the key and the user of a caller again. Throws `HttpError` (401) if the key was revoked or has expired since. */
export const readCallerAgain = async (metadata: Metadata, { key }: Caller, now: number): Promise<Caller> =>
  toCaller(metadata, await findPersonalApiKeyById(metadata, key.id), now)
