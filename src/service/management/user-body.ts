import type { Static } from 'typebox'
import type { User } from '../store/metadata/users.ts'
import type { AccountSchema, UserSchema } from './schema/user.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** A user as other resources contain it. */
export const toUserBody = (user: User): Static<typeof UserSchema> => ({
  id: user.id,
  uuid: user.uuid,
  distinct_id: user.distinctId,
  first_name: user.firstName,
  last_name: user.lastName,
  email: user.email,
  is_email_verified: user.isEmailVerified,
  hedgehog_config: { ...user.hedgehogConfig },
  role_at_organization: user.roleAtOrganization,
})

/** A user by id; null without one, and for a user that was removed. */
export const toUserOrNull = (users: ReadonlyMap<number, User>, id: number | null): Static<typeof UserSchema> | null => {
  const user = id === null ? undefined : users.get(id)
  return user ? toUserBody(user) : null
}

export const toAccountBody = (user: User): Static<typeof AccountSchema> => ({
  ...toUserBody(user),
  version: user.version,
  created_at: toIsoTime(user.createdAt),
})
