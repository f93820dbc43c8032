import * as Type from 'typebox'
import { LEVELS } from '../../permission/levels.ts'
import { IfVersion, refTo, Time, Uuid, Version } from '../../schema/types.ts'
import { LevelSchema } from './organization.ts'
import { UserSchema } from './user.ts'

const level = Type.Union([Type.Literal(LEVELS.member), Type.Literal(LEVELS.administrator)], {
  description: 'The level in the project. 1 member, 8 administrator.',
  default: LEVELS.member,
  examples: [LEVELS.member],
})
const user_uuid = Uuid('The user. It cannot be changed.')

export const ExplicitMemberSchema = Type.Object(
  {
    id: Uuid('Id of the membership.'),
    level,
    parent_level: LevelSchema('The level in the organisation.'),
    parent_membership_id: Uuid('Id of the membership of the organisation.'),
    joined_at: Time('When the user became a member of the project.'),
    updated_at: Time('Time of the last change.'),
    user: refTo(UserSchema),
    user_uuid,
    effective_level: LevelSchema('The higher of `level` and `parent_level`.'),
    version: Version(),
  },
  { $id: 'ExplicitMember', description: 'A member of the organisation who is also a member of the project itself.' },
)

export const ExplicitMemberInput = Type.Object({ user_uuid, level: Type.Optional(level) })

export const ExplicitMemberChange = Type.Object({
  level: Type.Optional(level),
  user_uuid: Type.Optional(user_uuid),
  version: Type.Optional(IfVersion()),
})
