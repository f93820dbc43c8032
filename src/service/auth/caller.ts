import type { PersonalApiKey } from '../store/metadata/keys.ts'
import type { User } from '../store/metadata/users.ts'

/** The user on whose behalf a request comes, and the key that it carries. */
export interface Caller {
  readonly user: User
  readonly key: PersonalApiKey
}
