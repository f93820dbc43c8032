import * as Type from 'typebox'
import { nullable, Uuid } from '../../schema/types.ts'

const PROPERTY_TYPES = ['String', 'Numeric', 'Boolean', 'DateTime'] as const

export const EventDefinitionSchema = Type.Object(
  {
    id: Uuid('Follows from the name.'),
    name: Type.String({ examples: ['$pageview'] }),
    volume: Type.Integer({ minimum: 0, description: 'Number of stored events.' }),
    created_at: Type.String({ format: 'date-time', description: 'Time of the earliest event.' }),
    last_seen_at: Type.String({ format: 'date-time', description: 'Time of the latest event.' }),
  },
  { $id: 'EventDefinition', description: 'A name of events that a project has.' },
)

export const PropertyDefinitionSchema = Type.Object(
  {
    id: Uuid('Follows from the name.'),
    name: Type.String({ examples: ['$browser'] }),
    property_type: nullable(Type.Enum(PROPERTY_TYPES), {
      description: 'Of the newest values; null for values of several types, lists and objects.',
    }),
    is_numerical: Type.Boolean(),
  },
  { $id: 'PropertyDefinition', description: 'A property that the newest events, persons or groups of a project have.' },
)

const Search = Type.Optional(Type.String({ description: 'Part of the name, in any case.' }))

export const EventDefinitionQuery = { search: Search }

export const PropertyDefinitionQuery = {
  search: Search,
  type: Type.Optional(Type.Enum(['event', 'person', 'group'], { default: 'event' })),
  group_type_index: Type.Optional(Type.Integer({ minimum: 0, description: 'With the type `group`.' })),
}
