import type { PersonalApiKey, PersonalApiKeyFields } from '../store/metadata/keys.ts'
import type { User } from '../store/metadata/users.ts'

/** The user on whose behalf a request comes, and the key that it carries. */
export interface Caller {
  readonly user: User
  readonly key: PersonalApiKey
}

/** A user, and what limits what is done for the user: the fields of a key, which need not be stored. */
export interface KeyHolder {
  readonly user: User
  readonly key: PersonalApiKeyFields
}
