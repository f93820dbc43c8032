import * as Type from 'typebox'
import { ALL_SCOPES, SCOPES } from '../../permission/scopes.ts'
import { IfVersion, Name, nullable, Time, Uuid, Version } from '../../schema/types.ts'

/** Longest label, in characters. */
const MAX_LABEL_LENGTH = 200
/** Most projects or organisations that a key is limited to. */
const MAX_LIMITS = 1000

const label = Name(MAX_LABEL_LENGTH, {
  description: 'The purpose of the key.',
  examples: ['dashboard script'],
})
const scopes = Type.Array(Type.Enum([ALL_SCOPES, ...SCOPES]), {
  minItems: 1,
  maxItems: SCOPES.length + 1,
  uniqueItems: true,
  description: 'What the key may do; `*` is everything. Never more than the key that creates or changes it.',
  examples: [['query:read', 'project:read']],
})
const limits = {
  scoped_teams: Type.Array(Type.Integer(), {
    maxItems: MAX_LIMITS,
    description: 'Ids of the projects that the key is limited to; empty for all projects of its user.',
    examples: [[1]],
  }),
  scoped_organizations: Type.Array(Uuid('Id of an organisation.'), {
    maxItems: MAX_LIMITS,
    description: 'Ids of the organisations that the key is limited to; empty for all organisations of its user.',
  }),
  expires_at: nullable(Type.String({ format: 'date-time' }), {
    description: 'Time after which the key is refused; null for a key that does not expire.',
  }),
}

export const PersonalApiKeySchema = Type.Object(
  {
    id: Type.String({ description: 'Id in paths.', examples: ['7'] }),
    label,
    scopes,
    ...limits,
    value: Type.Optional(
      Type.String({ description: 'The key itself. Only the answer that creates it has it.', examples: ['wmx_…'] }),
    ),
    mask_value: Type.String({ description: 'The first characters of the key.', examples: ['wmx_Ab3d…'] }),
    user_id: Type.Integer({ description: 'Id of its user.', examples: [1] }),
    last_used_at: nullable(Type.String({ format: 'date-time' }), {
      description: 'The minute of the last use; null before the first.',
    }),
    version: Version(),
    created_at: Time('Time of creation.'),
  },
  { $id: 'PersonalAPIKey', description: 'A secret key with which a program acts for a user.' },
)

export const PersonalApiKeyInput = Type.Object({ label, scopes, ...Type.Partial(Type.Object(limits)).properties })

export const PersonalApiKeyChange = Type.Object({
  label: Type.Optional(label),
  scopes: Type.Optional(scopes),
  ...Type.Partial(Type.Object(limits)).properties,
  version: Type.Optional(IfVersion()),
})
