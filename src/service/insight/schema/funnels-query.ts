import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { ReadOnly } from '../../schema/types.ts'
import { FUNNEL_ORDERS } from '../question/funnel.ts'
import { INTERVALS } from '../time/calendar.ts'
import { BASE_FIELDS, BreakdownFilter, EventsNode, optional } from './fields.ts'

/** Most steps of a funnel, and most exclusions: an event has a bit for each of them beside its time. */
const MAX_STEPS = 12
const MAX_EXCLUSIONS = 8

/** Longest window, in its unit: three years of days. */
const MAX_WINDOW = 1095

export const WINDOW_UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month'] as const

const StepIndex = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_STEPS - 1, description })

const FunnelStep = Type.Object({
  ...EventsNode.properties,
  math: optional(
    Type.String(),
    '`total` (default); `first_time_for_user`: the step is only the first event of this name that the person ever had, if the filters ' +
      'match it; `first_time_for_user_with_filters`: the first one of this name that matches the filters.',
  ),
  optionalInFunnel: optional(
    Type.Boolean(),
    'Whether those who leave out this step still come to later ones. Not the first step, and not in an unordered funnel.',
  ),
})

const Exclusion = Type.Object({
  ...EventsNode.properties,
  funnelFromStep: StepIndex('The step, counted from 0, after which the event ends a conversion.'),
  funnelToStep: StepIndex('The step before which it does.'),
})

export const FunnelsQuerySchema = Type.Object(
  {
    kind: Type.Enum(['FunnelsQuery']),
    series: Type.Array(FunnelStep, { minItems: 2, maxItems: MAX_STEPS, description: 'The steps.' }),
    ...BASE_FIELDS,
    interval: optional(Type.Enum(INTERVALS), 'The periods of trends. Default: `day`.'),
    breakdownFilter: optional(BreakdownFilter),
    funnelsFilter: optional(
      Type.Object({
        funnelVizType: optional(
          Type.Enum(['steps', 'time_to_convert', 'trends']),
          'How many reached each step, how long they took, or how many of those who began in each period converted. Default: `steps`.',
        ),
        funnelOrderType: optional(
          Type.Enum(FUNNEL_ORDERS),
          'Whether other events may be between two steps, or must not (`strict`), or the order does not matter. Default: `ordered`.',
        ),
        funnelWindowInterval: optional(
          Type.Integer({ minimum: 1, maximum: MAX_WINDOW }),
          'Longest time from the first step to the last, in `funnelWindowIntervalUnit`. Default: 14.',
        ),
        funnelWindowIntervalUnit: optional(Type.Enum(WINDOW_UNITS), 'A month has 30 days. Default: `day`.'),
        funnelStepReference: optional(Type.Enum(['total', 'previous']), 'How clients show percentages.'),
        breakdownAttributionType: optional(
          Type.Enum(['first_touch', 'last_touch', 'all_events', 'step']),
          'Which event has the value of a person: the first or last one that has a value, each for itself, or that of one step. Default: `first_touch`.',
        ),
        breakdownAttributionValue: optional(
          StepIndex('The step of `breakdownAttributionType: "step"`, counted from 0.'),
        ),
        exclusions: optional(
          Type.Array(Exclusion, { maxItems: MAX_EXCLUSIONS }),
          'Events that end a conversion between two steps.',
        ),
        funnelFromStep: optional(
          StepIndex('The first step of times and trends, counted from 0. Default: the first of all.'),
        ),
        funnelToStep: optional(StepIndex('The last step of times and trends. Default: the last of all.')),
        funnelAggregateByHogQL: optional(Type.String(), 'Must be empty: persons or groups are counted.'),
        binCount: optional(
          Type.Integer({ minimum: 1, maximum: 60 }),
          'Number of bins of times. Default: the cube root of the number of conversions.',
        ),
      }),
    ),
  },
  {
    $id: 'FunnelsQuery',
    description: 'How many persons come through a series of steps.',
    examples: [
      {
        kind: 'FunnelsQuery',
        series: [
          { kind: 'EventsNode', event: '$pageview' },
          { kind: 'EventsNode', event: 'bought' },
        ],
        dateRange: { date_from: '-30d' },
        funnelsFilter: { funnelWindowInterval: 7, funnelWindowIntervalUnit: 'day' },
      },
    ],
  },
)

export type FunnelsQuery = ReadOnly<Static<typeof FunnelsQuerySchema>>
