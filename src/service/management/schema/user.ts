import * as Type from 'typebox'
import { IfVersion, JsonFields, Time, Uuid, Version } from '../../schema/types.ts'
import { ROLES } from '../../store/metadata/users.ts'

/** Longest names and address, in characters. The last is that of RFC 5321. */
const MAX_NAME_LENGTH = 200
const MAX_EMAIL_LENGTH = 254
/** Largest `hedgehog_config`, in bytes of JSON: every resource that names a user contains it. */
export const MAX_HEDGEHOG_CONFIG_BYTES = 4096

const fields = {
  first_name: Type.String({ maxLength: MAX_NAME_LENGTH, examples: ['Ann'] }),
  last_name: Type.String({ maxLength: MAX_NAME_LENGTH, examples: ['Lee'] }),
  email: Type.String({
    format: 'email',
    maxLength: MAX_EMAIL_LENGTH,
    description: 'Unique.',
    examples: ['ann@shop.example'],
  }),
  hedgehog_config: JsonFields(
    `Settings of the user interface of the protocol; kept as they are. At most ${MAX_HEDGEHOG_CONFIG_BYTES} bytes of JSON.`,
  ),
  role_at_organization: Type.Enum(ROLES, {
    description: 'What the user does; empty when unknown.',
    examples: ['product'],
  }),
}

const readOnlyFields = {
  id: Type.Integer({ examples: [1] }),
  uuid: Uuid('Id in paths.'),
  distinct_id: Type.String({ description: 'Under which events of the user can be captured.' }),
  is_email_verified: Type.Boolean({ description: 'Whether the user was seen to own the address.' }),
}

/** A user inside another resource. */
export const UserSchema = Type.Object(
  { ...readOnlyFields, ...fields },
  { $id: 'User', description: 'A person who works with the service.' },
)

export const AccountSchema = Type.Object(
  { ...readOnlyFields, ...fields, version: Version(), created_at: Time('Time of creation.') },
  { $id: 'Account', description: 'A person who works with the service, as a resource.' },
)

export const AccountChange = Type.Object({
  ...Type.Partial(Type.Object(fields)).properties,
  version: Type.Optional(IfVersion()),
})
