import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { ReadOnly } from '../../schema/types.ts'
import { INTERVALS } from '../time/calendar.ts'
import { BASE_FIELDS, CompareFilter, EventsNode, optional } from './fields.ts'

const MAX_SERIES = 26

/** Series say themselves whether they count groups. */
const { aggregation_group_type_index: _, ...QUERY_FIELDS } = BASE_FIELDS

export const StickinessQuerySchema = Type.Object(
  {
    kind: Type.Enum(['StickinessQuery']),
    series: Type.Array(EventsNode, { minItems: 1, maxItems: MAX_SERIES }),
    ...QUERY_FIELDS,
    interval: optional(Type.Enum(INTERVALS), 'Default: `day`.'),
    intervalCount: optional(
      Type.Integer({ minimum: 1, maximum: 1000 }),
      'How many hours, days and so on are one interval. Default: 1.',
    ),
    compareFilter: optional(CompareFilter),
    stickinessFilter: optional(
      Type.Object({
        display: optional(Type.String(), 'How clients show it. Changes no number.'),
        computedAs: optional(
          Type.Enum(['non_cumulative', 'cumulative']),
          'Whether a number counts those with exactly so many intervals, or with so many or more. Default: `non_cumulative`.',
        ),
        stickinessCriteria: optional(
          Type.Object({ operator: Type.Enum(['gte', 'lte', 'exact']), value: Type.Integer({ minimum: 1 }) }),
          'How many events an interval must have, so that it counts. Default: at least one.',
        ),
      }),
    ),
  },
  {
    $id: 'StickinessQuery',
    description: 'How many persons or groups did something on one day, on two days, and so on.',
    examples: [
      {
        kind: 'StickinessQuery',
        series: [{ kind: 'EventsNode', event: '$pageview' }],
        dateRange: { date_from: '-30d' },
        stickinessFilter: { computedAs: 'cumulative' },
      },
    ],
  },
)

export type StickinessQuery = ReadOnly<Static<typeof StickinessQuerySchema>>
