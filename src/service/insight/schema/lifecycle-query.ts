import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { ReadOnly } from '../../schema/types.ts'
import { LIFECYCLE_STATUSES } from '../question/lifecycle.ts'
import { INTERVALS } from '../time/calendar.ts'
import { BASE_FIELDS, EventsNode, optional } from './fields.ts'

export const LifecycleQuerySchema = Type.Object(
  {
    kind: Type.Enum(['LifecycleQuery']),
    series: Type.Array(EventsNode, { minItems: 1, maxItems: 1 }),
    ...BASE_FIELDS,
    interval: optional(
      Type.Enum(INTERVALS),
      'Default: `day`. All intervals are whole, also the first and the last one.',
    ),
    lifecycleFilter: optional(
      Type.Object({
        toggledLifecycles: optional(Type.Array(Type.Enum(LIFECYCLE_STATUSES)), 'The statuses to answer. Default: all.'),
        showLegend: optional(Type.Boolean(), 'How clients show it. Changes no number.'),
        stacked: optional(Type.Boolean(), 'How clients show it. Changes no number.'),
      }),
    ),
  },
  {
    $id: 'LifecycleQuery',
    description:
      'How many persons or groups were new, returning, resurrecting or dormant in each hour, day, week or month. A new one was created ' +
      'in it; a returning one had events in the one before, too; a dormant one had events only in the one before.',
    examples: [
      {
        kind: 'LifecycleQuery',
        series: [{ kind: 'EventsNode', event: '$pageview' }],
        dateRange: { date_from: '-12w' },
        interval: 'week',
      },
    ],
  },
)

export type LifecycleQuery = ReadOnly<Static<typeof LifecycleQuerySchema>>
