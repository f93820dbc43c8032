import * as Type from 'typebox'
import type { Static } from 'typebox'
import { BASE_FIELDS, optional, Refused } from './fields.ts'

/** Most events in one answer. */
const MAX_EVENTS = 50_000

const { properties, filterTestAccounts } = BASE_FIELDS

export const EventsQuerySchema = Type.Object(
  {
    kind: Type.Enum(['EventsQuery']),
    select: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 50,
      description:
        'Columns: `*` is the event as an object; `event`, `uuid`, `timestamp`, `created_at`, `distinct_id`, `properties` and `person` ' +
        'are parts of it; `properties.$browser` and `person.properties.email` are properties as strings.',
    }),
    event: optional(Type.String({ minLength: 1 }), 'Name of the events; null for all.'),
    personId: optional(Type.String({ minLength: 1 }), 'The `uuid` of their person.'),
    after: optional(Type.String(), 'First time, in the forms of `date_from`, or `all`. Default: `-24h`.'),
    before: optional(Type.String(), 'The time before which they are, in the same forms. Default: in five seconds.'),
    properties,
    fixedProperties: properties,
    filterTestAccounts,
    orderBy: optional(
      Type.Array(Type.String(), { maxItems: 5 }),
      '`timestamp`, `created_at`, `event`, `distinct_id` or `uuid`, each with `ASC` or `DESC`. Default: `timestamp DESC`.',
    ),
    limit: optional(Type.Integer({ minimum: 1, maximum: MAX_EVENTS }), 'Default: 100.'),
    offset: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), 'Default: 0.'),
    where: Refused('Must be null or empty.'),
    actionId: Refused('Must be null or empty.'),
    source: Refused('Must be null or empty.'),
  },
  {
    $id: 'EventsQuery',
    description: 'Events, the newest ones first.',
    examples: [
      { kind: 'EventsQuery', select: ['*', 'person', 'timestamp'], event: '$pageview', after: '-7d', limit: 10 },
    ],
  },
)

export type EventsQuery = Static<typeof EventsQuerySchema>
