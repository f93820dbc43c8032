import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { ReadOnly } from '../../schema/types.ts'
import { INTERVALS } from '../time/calendar.ts'
import { BASE_FIELDS, BreakdownFilter, CompareFilter, EventsNode, optional } from './fields.ts'

/** Most series of one query, one for each letter that a formula can name. */
const MAX_SERIES = 26

const TREND_DISPLAYS = [
  'ActionsLineGraph',
  'ActionsLineGraphCumulative',
  'ActionsAreaGraph',
  'ActionsBar',
  'ActionsUnstackedBar',
  'ActionsStackedBar',
  'ActionsBarValue',
  'ActionsPie',
  'ActionsTable',
  'BoldNumber',
  'WorldMap',
] as const

const Formula = Type.String({ minLength: 1, maxLength: 500 })

export const TrendsQuerySchema = Type.Object(
  {
    kind: Type.Enum(['TrendsQuery']),
    series: Type.Array(EventsNode, { minItems: 1, maxItems: MAX_SERIES }),
    ...BASE_FIELDS,
    interval: optional(Type.Enum(INTERVALS), 'Default: `day`.'),
    breakdownFilter: optional(BreakdownFilter),
    compareFilter: optional(CompareFilter),
    trendsFilter: optional(
      Type.Object({
        display: optional(Type.Enum(TREND_DISPLAYS), 'Default: `ActionsLineGraph`.'),
        formula: optional(Formula, 'Numbers, the letters of the series from A, `+ - * / ( )`: `A / B * 100`.'),
        formulas: optional(Type.Array(Formula, { maxItems: MAX_SERIES }), 'Several formulas.'),
        formulaNodes: optional(
          Type.Array(Type.Object({ formula: Formula, custom_name: optional(Type.String()) }), { maxItems: MAX_SERIES }),
          'Formulas with names, instead of `formula` and `formulas`.',
        ),
        smoothingIntervals: optional(
          Type.Integer({ minimum: 1, maximum: 1000 }),
          'Each number becomes the average of so many: its own and those before it. Default: 1.',
        ),
      }),
    ),
  },
  {
    $id: 'TrendsQuery',
    description: 'How much there was of something in each hour, day, week or month.',
    examples: [
      {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
        dateRange: { date_from: '-30d' },
        interval: 'day',
        breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' },
      },
    ],
  },
)

export type TrendsQuery = ReadOnly<Static<typeof TrendsQuerySchema>>
