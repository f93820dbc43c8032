import * as Type from 'typebox'
import { JsonFields, Time, Uuid } from '../../schema/types.ts'

export const PersonSchema = Type.Object(
  {
    id: Uuid('Id of the person.'),
    uuid: Uuid('The same: clients of the protocol read one or the other.'),
    name: Type.String({
      description:
        'The property `email`, `name` or `username`, else a distinct id; one that is no UUID, if there is one.',
      examples: ['ada@shop.example'],
    }),
    distinct_ids: Type.Array(Type.String(), { description: 'All of them, or 1,000.', examples: [['user-1']] }),
    properties: JsonFields('As they are now.'),
    is_identified: Type.Boolean({ description: 'Whether `$identify` or `$create_alias` has named the person.' }),
    created_at: Time('Time of the earliest event.'),
  },
  { $id: 'Person', description: 'The user behind one or more distinct ids.' },
)

/** The query parameters that select persons. */
export const PersonListQuery = {
  search: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'Part of the id, of a distinct id, or of the property `email` or `name`, in any case.',
    }),
  ),
  email: Type.Optional(Type.String({ description: 'The property `email`, in any case.' })),
  distinct_id: Type.Optional(Type.String({ description: 'A distinct id of the person.' })),
  properties: Type.Optional(
    Type.String({
      description: 'Filters of the types person and cohort, as JSON.',
      examples: ['[{"key": "plan", "value": "pro", "type": "person"}]'],
    }),
  ),
}
