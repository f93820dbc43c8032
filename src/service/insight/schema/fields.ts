import * as Type from 'typebox'
import type { TSchema } from 'typebox'
import { nullable } from '../../schema/types.ts'

/** A field that clients may leave out, or send as null. */
export const optional = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Optional(nullable(schema, description === undefined ? {} : { description }))

/** A field of the protocol that this service refuses, so that it is not silently ignored. */
export const Refused = (description: string) => Type.Optional(Type.Unknown({ description }))

/** Property filters; `parseFilters` checks them. */
const Filters = () =>
  Type.Optional(
    Type.Unknown({
      description:
        'Property filters that must all match, or a group `{type: "AND" | "OR", values}` of filters and groups. A filter is ' +
        '`{key, type, operator, value}` with the operators of feature flags; its type is event, event_metadata, feature, person, ' +
        'group or cohort. `negation: true` inverts its result.',
      examples: [[{ key: '$browser', type: 'event', operator: 'exact', value: ['Firefox'] }]],
    }),
  )

export const DateRangeInput = Type.Object(
  {
    date_from: optional(
      Type.String(),
      'First day or time: an ISO 8601 date or time, a relative date such as `-7d`, `-1mStart` or `dStart`, or `all` for the first event since 2015. Default: `-7d`.',
    ),
    date_to: optional(Type.String(), 'Last day or time, inclusive, in the same forms. Default: now.'),
    explicitDate: optional(
      Type.Boolean(),
      'True: relative dates are moments. False, the default: `-7d` is the whole day seven days ago.',
    ),
  },
  { examples: [{ date_from: '-30d' }] },
)

/** An event, or all events, with what is measured of them. */
export const EventsNode = Type.Object(
  {
    kind: optional(Type.Enum(['EventsNode'])),
    event: optional(Type.String({ minLength: 1 }), 'Name of the event; null for all events.'),
    name: optional(Type.String(), 'A name for people.'),
    custom_name: optional(Type.String(), 'A name that people chose.'),
    properties: Filters(),
    fixedProperties: Filters(),
    math: optional(Type.String(), 'What is measured. Default: `total`.'),
    math_property: optional(Type.String({ minLength: 1 }), 'The property that is measured.'),
    math_property_type: optional(Type.Enum(['event_properties', 'person_properties'])),
    math_group_type_index: optional(Type.Integer({ minimum: 0, maximum: 4 }), 'With `unique_group`. Default: 0.'),
  },
  { examples: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }] },
)

/** Fields of all queries of insights. */
export const BASE_FIELDS = {
  dateRange: optional(DateRangeInput),
  properties: Filters(),
  filterTestAccounts: optional(
    Type.Boolean(),
    'Whether internal and test users are left out, by `test_account_filters` of the project.',
  ),
  aggregation_group_type_index: optional(
    Type.Integer({ minimum: 0, maximum: 4 }),
    'Counts groups of this type instead of persons.',
  ),
  samplingFactor: optional(Type.Number(), 'Ignored: all events are read.'),
}

const BinCount = () =>
  optional(
    Type.Integer({ minimum: 1, maximum: 99 }),
    'Divides the numbers of the property into so many bins of the same width, from the least to the greatest. The value of a bin is the ' +
      'JSON of its bounds, `[0,10]`: from the first one on, and before the second one (the last bin includes it).',
  )

const IsUrl = () => optional(Type.Boolean(), 'Whether values lose all `/`, `?` and `#` at their end.')

export const BreakdownFilter = Type.Object({
  breakdown: optional(
    Type.Union([Type.String(), Type.Integer(), Type.Array(Type.Union([Type.String(), Type.Integer()]))]),
    'Name of a property, or the ids of cohorts; `all` among these is all events.',
  ),
  breakdown_type: optional(Type.Enum(['event', 'person', 'group', 'cohort', 'event_metadata'])),
  breakdown_group_type_index: optional(Type.Integer({ minimum: 0, maximum: 4 }), 'With the type `group`. Default: 0.'),
  breakdown_limit: optional(
    Type.Integer({ minimum: 1, maximum: 100 }),
    'Values with a series of their own. Default: 25, or all bins if there are more.',
  ),
  breakdown_histogram_bin_count: BinCount(),
  breakdown_normalize_url: IsUrl(),
  breakdown_hide_other_aggregation: optional(Type.Boolean(), 'Leaves out the series of all other values.'),
  breakdowns: optional(
    Type.Array(
      Type.Object({
        property: Type.Union([Type.String({ minLength: 1 }), Type.Integer()]),
        type: optional(Type.Enum(['event', 'person', 'group', 'cohort', 'event_metadata'])),
        group_type_index: optional(Type.Integer({ minimum: 0, maximum: 4 }), 'With the type `group`. Default: 0.'),
        histogram_bin_count: BinCount(),
        normalize_url: IsUrl(),
      }),
      { minItems: 1, maxItems: 3 },
    ),
    'One to three properties together, instead of `breakdown`.',
  ),
})

export const CompareFilter = Type.Object({
  compare: optional(Type.Boolean(), 'Adds the same for an earlier time.'),
  compare_to: optional(
    Type.String(),
    'How long before, such as `-14d`. Default: the period of the same length right before.',
  ),
})
