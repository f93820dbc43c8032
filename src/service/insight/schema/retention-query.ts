import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { ReadOnly } from '../../schema/types.ts'
import { BASE_FIELDS, BreakdownFilter, optional } from './fields.ts'

const RETENTION_PERIODS = ['Hour', 'Day', 'Week', 'Month'] as const

/** Most cohorts: a quarter of days. Their numbers grow with the square. */
const MAX_INTERVALS = 100

/** The events that begin or continue something. */
const RetentionEntity = Type.Object({
  id: optional(Type.String({ minLength: 1 }), 'Name of the event; null for all events.'),
  type: optional(Type.Enum(['events'])),
  kind: optional(Type.Enum(['EventsNode'])),
  name: optional(Type.String(), 'A name for people.'),
  properties: BASE_FIELDS.properties,
})

export const RetentionQuerySchema = Type.Object(
  {
    kind: Type.Enum(['RetentionQuery']),
    ...BASE_FIELDS,
    retentionFilter: Type.Object({
      targetEntity: optional(RetentionEntity, 'What puts an actor in a cohort. Default: the event `$pageview`.'),
      returningEntity: optional(RetentionEntity, 'What is a return. Default: the event `$pageview`.'),
      period: optional(Type.Enum(RETENTION_PERIODS), 'Default: `Day`.'),
      totalIntervals: optional(
        Type.Integer({ minimum: 1, maximum: MAX_INTERVALS }),
        'How many periods; the last one contains `date_to`. `date_from` is ignored. Default: 11.',
      ),
      retentionType: optional(
        Type.Enum(['retention_recurring', 'retention_first_time', 'retention_first_ever_occurrence']),
        'The cohorts of an actor: those of all periods with a target event, that of its first target event of all times, or that ' +
          'of its first event of this name, if the filters match it. Default: `retention_recurring`.',
      ),
      retentionReference: optional(
        Type.Enum(['total', 'previous']),
        'How clients show percentages. Changes no number.',
      ),
      cumulative: optional(
        Type.Boolean(),
        'Whether a number counts who returned in its period or in any later one, instead of in its period.',
      ),
      minimumOccurrences: optional(
        Type.Integer({ minimum: 1 }),
        'How many returning events an actor must have in a period to count as returned. Default: 1.',
      ),
    }),
    breakdownFilter: optional(BreakdownFilter, 'Divides by the event that puts the actor in the cohort.'),
  },
  {
    $id: 'RetentionQuery',
    description: 'How many of those who did something in an hour, day, week or month came back later.',
    examples: [
      {
        kind: 'RetentionQuery',
        retentionFilter: {
          targetEntity: { id: 'signed_up' },
          returningEntity: { id: '$pageview' },
          period: 'Week',
          totalIntervals: 8,
          retentionType: 'retention_first_time',
        },
      },
    ],
  },
)

export type RetentionQuery = ReadOnly<Static<typeof RetentionQuerySchema>>
