import * as Type from 'typebox'
import { IfVersion, JsonFields, Name, nullable, Time, Uuid, Version } from '../../schema/types.ts'
import { LevelSchema } from './organization.ts'

/** Longest name, in characters. */
const MAX_NAME_LENGTH = 200

const name = Name(MAX_NAME_LENGTH, { examples: ['Web shop'] })
const is_private = Type.Boolean({
  description:
    'Whether the project is closed to members of the organisation who are not explicit members. Administrators and owners ' +
    'of the organisation see it nevertheless.',
  default: false,
})

const timezone = Type.String({
  maxLength: 100,
  description: 'The time zone in which insights count days, by its name in the IANA database.',
  examples: ['Europe/Berlin'],
  default: 'UTC',
})
const week_start_day = Type.Union([Type.Enum([0, 1]), Type.Null()], {
  description: 'First day of a week: 0 or null for Sunday, 1 for Monday.',
  examples: [1],
})
const test_account_filters = Type.Array(JsonFields('A property filter.'), {
  maxItems: 100,
  description:
    'What events must match in queries with `filterTestAccounts`, so that internal and test users are left out.',
  examples: [[{ key: 'email', type: 'person', operator: 'not_icontains', value: '@example.com' }]],
})

export const ProjectSchema = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    project_id: Type.String({ description: 'The id as the string that all paths take.', examples: ['1'] }),
    uuid: Uuid('Another id of the project.'),
    organization: Uuid('Id of its organisation.'),
    name,
    api_token: Type.String({ description: 'The project API key, which is public.', examples: ['wm_…'] }),
    is_private,
    effective_membership_level: LevelSchema('The level of the caller in the project.'),
    timezone,
    week_start_day,
    test_account_filters,
    event_quota: nullable(Type.Integer({ minimum: 0 }), { description: 'Events a month; null for no limit.' }),
    version: Version(),
    created_at: Time('Time of creation.'),
    updated_at: Time('Time of the last change.'),
  },
  { $id: 'Project', description: 'A set of events, persons and flags, and the key that its agents send.' },
)

export const ProjectInput = Type.Object({
  name,
  is_private: Type.Optional(is_private),
  organization: Type.Optional(Uuid('Id of the organisation; default: that of the key.')),
})

export const ProjectChange = Type.Object({
  name: Type.Optional(name),
  is_private: Type.Optional(is_private),
  timezone: Type.Optional(timezone),
  week_start_day: Type.Optional(week_start_day),
  test_account_filters: Type.Optional(test_account_filters),
  version: Type.Optional(IfVersion()),
})
