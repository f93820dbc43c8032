import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { ReadOnly } from '../../schema/types.ts'
import { refTo } from '../../schema/types.ts'
import { BASE_FIELDS, optional, Refused } from './fields.ts'
import { FunnelsQuerySchema } from './funnels-query.ts'

/** Values of `includeEventTypes`. */
const EVENT_TYPES = ['$pageview', '$screen', 'custom_event'] as const

export const FUNNEL_PATH_TYPES = [
  'funnel_path_before_step',
  'funnel_path_between_steps',
  'funnel_path_after_step',
] as const

const Items = (description: string) => optional(Type.Array(Type.String(), { maxItems: 1000 }), description)

/** A key that only a query of actors reads. */
const Key = (description: string) =>
  optional(
    Type.String(),
    `${description} A \`source\` or \`target\` of the answer, such as \`1_/home\`. For \`ActorsQuery\` only.`,
  )

const Weight = (description: string) => optional(Type.Integer({ minimum: 0 }), description)

export const PathsQuerySchema = Type.Object(
  {
    kind: Type.Enum(['PathsQuery']),
    pathsFilter: Type.Object({
      includeEventTypes: optional(
        Type.Array(Type.Enum(EVENT_TYPES), { minItems: 1 }),
        'The events that are items: the URL of a `$pageview`, the name of a `$screen`, and the name of an event that does not begin ' +
          'with `$`. Default: all of them.',
      ),
      startPoint: optional(Type.String(), 'A path begins at the first occurrence of this item.'),
      endPoint: optional(Type.String(), 'A path ends at the first occurrence of this item.'),
      stepLimit: optional(Type.Integer({ minimum: 2, maximum: 20 }), 'Items of each path that count. Default: 5.'),
      edgeLimit: optional(
        Type.Integer({ minimum: 1, maximum: 10_000 }),
        'Edges in the answer, the most frequent ones. Default: 50.',
      ),
      minEdgeWeight: Weight('Leaves out edges that fewer paths take.'),
      maxEdgeWeight: Weight('Leaves out edges that more paths take.'),
      excludeEvents: Items('Items that do not count.'),
      pathGroupings: Items('Items that match one of these become one item. `*` is any text: `/product/*`.'),
      pathReplacements: optional(
        Type.Boolean(),
        'True: numbers and UUIDs in the path of an item become `:id`. Default: false.',
      ),
      pathStartKey: Key('Those who went on from this item.'),
      pathEndKey: Key('Those who came to this item; with `pathStartKey`, from that one.'),
      pathDropoffKey: Key('Those whose path has this item as its last one that counts. Not beside the other keys.'),
      pathsHogQLExpression: Refused('Must be null.'),
    }),
    funnelPathsFilter: optional(
      Type.Object({
        funnelPathType: Type.Enum(FUNNEL_PATH_TYPES, {
          description: 'The paths up to the step, from the step done before it up to the step, or from the step on.',
        }),
        funnelSource: refTo(FunnelsQuerySchema, {
          description:
            'The query of the funnel; its breakdown is ignored. If only it or only the query of the paths has a `dateRange`, that holds for both.',
        }),
        funnelStep: optional(
          Type.Integer(),
          'The step of those whose paths count, from 1; negative, from -2, of those who did the last step before it that is not ' +
            'optional, but not the step itself. Default: the last step.',
        ),
      }),
      'The paths around a step of a funnel alone.',
    ),
    ...BASE_FIELDS,
  },
  {
    $id: 'PathsQuery',
    description: 'The ways that persons or groups take from page to page, or from event to event.',
    examples: [
      {
        kind: 'PathsQuery',
        pathsFilter: { includeEventTypes: ['$pageview'], startPoint: 'https://example.com/prices', stepLimit: 4 },
        dateRange: { date_from: '-30d' },
      },
    ],
  },
)

export type PathsQuery = ReadOnly<Static<typeof PathsQuerySchema>>
