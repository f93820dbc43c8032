import * as Type from 'typebox'
import { JsonFields, Time } from '../../schema/types.ts'

export const GroupSchema = Type.Object(
  {
    group_type_index: Type.Integer({ minimum: 0, description: 'Index of the group type.' }),
    group_key: Type.String({ examples: ['acme'] }),
    group_properties: JsonFields('As they are now.'),
    created_at: Time('Time of the earliest event that described it.'),
  },
  { $id: 'Group', description: 'A group, such as the company acme.' },
)

const group_type_index = Type.Integer({ minimum: 0, description: 'Index of a group type of the project.' })

/** The query parameters that select groups. */
export const GroupListQuery = {
  group_type_index,
  search: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'Part of the key, or of the property `email` or `name`, in any case.',
    }),
  ),
}

/** The query parameters that name one group. */
export const GroupQuery = { group_type_index, group_key: Type.String({ minLength: 1 }) }
