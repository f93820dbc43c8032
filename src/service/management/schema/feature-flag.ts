import * as Type from 'typebox'
import { IfVersion, nullable, refTo, Time, Version } from '../../schema/types.ts'
import { FieldWarnings } from './field-warnings.ts'

/** Definitions keep fields that this service does not know: clients of other versions write them. */
const OPEN = { additionalProperties: true } as const

/** One condition of a flag or a cohort: `PropertyFilter` of `src/wire/definition.ts`. */
export const FlagConditionSchema = Type.Object(
  {
    key: Type.String({
      description: 'Name of the property; the key of a flag; `id` for a cohort.',
      examples: ['plan'],
    }),
    type: Type.Optional(
      nullable(Type.Enum(['person', 'group', 'cohort', 'flag']), { description: 'Default `person`.' }),
    ),
    value: Type.Optional(Type.Unknown({ description: 'What the property is compared with.', examples: ['pro'] })),
    operator: Type.Optional(
      nullable(Type.String(), { description: 'Default `exact`; for a cohort `in`, for a flag `flag_evaluates_to`.' }),
    ),
    negation: Type.Optional(
      nullable(Type.Boolean(), { description: 'Inside a cohort: inverts the result. In a flag it must not be true.' }),
    ),
    group_type_index: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
  },
  { ...OPEN, $id: 'FlagCondition' },
)

const RolloutPercentage = (description: string) => Type.Number({ minimum: 0, maximum: 100, description })

const FlagFilters = Type.Object(
  {
    groups: Type.Array(
      Type.Object(
        {
          properties: Type.Optional(nullable(Type.Array(refTo(FlagConditionSchema)))),
          rollout_percentage: Type.Optional(nullable(RolloutPercentage('Share of the matches; default 100.'))),
          variant: Type.Optional(nullable(Type.String(), { description: 'Gives this variant to every match.' })),
          aggregation_group_type_index: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
        },
        OPEN,
      ),
      { description: 'The first group that matches decides.' },
    ),
    multivariate: Type.Optional(
      nullable(
        Type.Object(
          {
            variants: Type.Array(
              Type.Object(
                {
                  key: Type.String(),
                  rollout_percentage: RolloutPercentage('All variants together have 100.'),
                  name: Type.Optional(nullable(Type.String())),
                },
                OPEN,
              ),
            ),
          },
          OPEN,
        ),
      ),
    ),
    payloads: Type.Optional(
      nullable(Type.Record(Type.String(), Type.Unknown()), {
        description: 'Variant key, or `true`, to a JSON value or a string that holds one.',
      }),
    ),
    aggregation_group_type_index: Type.Optional(
      nullable(Type.Integer({ minimum: 0 }), { description: 'The flag applies to groups of this type.' }),
    ),
  },
  { ...OPEN, description: 'Who gets the flag, and which value.', examples: [{ groups: [{ rollout_percentage: 50 }] }] },
)

const fields = {
  key: Type.String({ minLength: 1, maxLength: 400, description: 'Unique in the project.', examples: ['new-checkout'] }),
  filters: FlagFilters,
}

const name = Type.String({ description: 'A description for people.', examples: ['New checkout'] })
const deleted = Type.Boolean({
  description: 'A deleted flag keeps its key; it is neither listed nor served.',
  default: false,
})

const optionalFields = {
  ensure_experience_continuity: Type.Optional(
    nullable(Type.Boolean(), { description: 'Hash by the id before `identify`, so that a user keeps the same value.' }),
  ),
  bucketing_identifier: Type.Optional(nullable(Type.Enum(['distinct_id', 'device_id']))),
  evaluation_runtime: Type.Optional(nullable(Type.Enum(['all', 'client', 'server']))),
  evaluation_contexts: Type.Optional(nullable(Type.Array(Type.String({ minLength: 1 })))),
}

const active = Type.Boolean({ description: 'An inactive flag is off for everyone.', default: true })

export const FeatureFlagSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Can be used in paths, like the key.', examples: [1] }),
    ...fields,
    active,
    name: Type.Optional(name),
    deleted: Type.Optional(deleted),
    ...optionalFields,
    version: Version(),
    created_at: Time('Time of creation.'),
    updated_at: Time('Time of the last change.'),
    warnings: FieldWarnings(),
  },
  { ...OPEN, $id: 'FeatureFlag', description: 'A feature flag and the conditions under which it is on.' },
)

export const FeatureFlagListQuery = {
  search: Type.Optional(Type.String({ description: 'Part of the key or the name, in any case.' })),
  active: Type.Optional(Type.Boolean({ description: 'Only flags that are active, or only those that are not.' })),
}

export const FeatureFlagInput = Type.Object(
  {
    ...fields,
    active: Type.Optional(active),
    name: Type.Optional(nullable(name)),
    deleted: Type.Optional(nullable(deleted)),
    ...optionalFields,
  },
  OPEN,
)

export const FeatureFlagChange = Type.Object(
  { ...Type.Partial(FeatureFlagInput).properties, version: Type.Optional(IfVersion()) },
  OPEN,
)
