import * as Type from 'typebox'
import { LEVELS } from '../../permission/levels.ts'
import { IfVersion, Name, refTo, Time, Uuid, Version } from '../../schema/types.ts'
import { UserSchema } from './user.ts'

/** Longest name, in characters. */
const MAX_NAME_LENGTH = 200

export const LevelSchema = (description: string) =>
  Type.Union([Type.Literal(LEVELS.member), Type.Literal(LEVELS.administrator), Type.Literal(LEVELS.owner)], {
    description: `${description} 1 member, 8 administrator, 15 owner.`,
    examples: [LEVELS.member],
  })

const name = Name(MAX_NAME_LENGTH, { examples: ['Shop'] })

export const OrganizationSchema = Type.Object(
  {
    id: Uuid('Id in paths.'),
    name,
    membership_level: LevelSchema('The level of the caller.'),
    version: Version(),
    created_at: Time('Time of creation.'),
    updated_at: Time('Time of the last change.'),
  },
  { $id: 'Organization', description: 'The people who share projects.' },
)

export const OrganizationChange = Type.Object({ name: Type.Optional(name), version: Type.Optional(IfVersion()) })

export const OrganizationMemberSchema = Type.Object(
  {
    id: Uuid('Id of the membership.'),
    user: refTo(UserSchema),
    level: LevelSchema('The level in the organisation.'),
    version: Version(),
    joined_at: Time('When the user became a member.'),
    updated_at: Time('Time of the last change.'),
  },
  { $id: 'OrganizationMember', description: 'A user in an organisation.' },
)

export const OrganizationMemberChange = Type.Object({
  level: Type.Optional(LevelSchema('The new level.')),
  version: Type.Optional(IfVersion()),
})
