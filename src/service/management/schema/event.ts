import * as Type from 'typebox'
import { JsonFields, nullable, refTo, Time, Uuid } from '../../schema/types.ts'
import { PersonSchema } from './person.ts'

export const EventSchema = Type.Object(
  {
    id: Uuid('The `uuid` of the event.'),
    event: Type.String({ description: 'Its name.', examples: ['$pageview'] }),
    distinct_id: Type.String({ examples: ['user-1'] }),
    properties: JsonFields('As they were sent.'),
    timestamp: Time('When it happened.'),
    created_at: Time('When the service received it.'),
    person: nullable(refTo(PersonSchema), { description: 'As it is now; null for an event without a person.' }),
    elements_chain: Type.String({ description: 'The property `$elements_chain`; empty without one.' }),
  },
  { $id: 'StoredEvent', description: 'A stored event.' },
)

/** The query parameters that select events. */
export const EventListQuery = {
  event: Type.Optional(Type.String({ description: 'Name of the events.' })),
  distinct_id: Type.Optional(Type.String()),
  person_id: Type.Optional(Type.String({ description: 'The `id` of their person.' })),
  properties: Type.Optional(
    Type.String({
      description: 'Property filters as JSON, as a query has them in `properties`.',
      examples: ['[{"key": "$browser", "value": "Firefox"}]'],
    }),
  ),
  after: Type.Optional(
    Type.String({
      description: 'First time: an ISO 8601 date or time, or a relative date such as `-24h`. Default: all.',
    }),
  ),
  before: Type.Optional(
    Type.String({ description: 'The time before which they are, in the same forms. Default: in five seconds.' }),
  ),
}
