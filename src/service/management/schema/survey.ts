import * as Type from 'typebox'
import { IfVersion, JsonFields, nullable, Time, Uuid, Version } from '../../schema/types.ts'
import { FieldWarnings } from './field-warnings.ts'

const OPEN = { additionalProperties: true } as const

const fields = {
  name: Type.String({ minLength: 1, maxLength: 400, examples: ['After checkout'] }),
  type: Type.Enum(['popover', 'api', 'widget', 'external_survey'], { examples: ['popover'] }),
  questions: Type.Array(
    Type.Object(
      {
        id: Type.Optional(
          Type.String({ description: 'Answers are stored under it. Made for a question without one.' }),
        ),
        type: Type.Enum(['open', 'link', 'rating', 'single_choice', 'multiple_choice']),
        question: Type.String({ minLength: 1 }),
      },
      OPEN,
    ),
    { minItems: 1, maxItems: 100, examples: [[{ type: 'open', question: 'How was it?' }]] },
  ),
}

const FlagId = () =>
  Type.Optional(nullable(Type.Integer({ minimum: 1 }), { description: 'Only users for whom this flag is on see it.' }))

const optionalFields = {
  description: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
  conditions: Type.Optional(nullable(JsonFields('Where and when the survey is shown.'))),
  appearance: Type.Optional(nullable(JsonFields('How the survey looks.'))),
  archived: Type.Optional(Type.Boolean({ description: 'An archived survey is not served.', default: false })),
  linked_flag_id: FlagId(),
  targeting_flag_id: FlagId(),
  internal_targeting_flag_id: FlagId(),
  schedule: Type.Optional(nullable(Type.Enum(['once', 'recurring', 'always']))),
  iteration_count: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
  iteration_frequency_days: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
  enable_partial_responses: Type.Optional(nullable(Type.Boolean())),
  translations: Type.Optional(nullable(JsonFields('Other languages.'))),
}

const START = 'When pages begin to show it. A survey without one is a draft.'
const END = 'When pages stop to show it.'

/** A date, which means its first moment in UTC, or a time with its time zone. */
const NullableDate = (description: string) =>
  Type.Optional(
    Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' }), Type.Null()], { description }),
  )

export const SurveySchema = Type.Object(
  {
    id: Uuid('Id in paths and in survey events.'),
    ...fields,
    start_date: Type.Optional(nullable(Time(START))),
    end_date: Type.Optional(nullable(Time(END))),
    ...optionalFields,
    version: Version(),
    created_at: Time('Time of creation.'),
    updated_at: Time('Time of the last change.'),
    warnings: FieldWarnings(),
  },
  { ...OPEN, $id: 'Survey', description: 'Questions, and where and when to ask them.' },
)

export const SurveyInput = Type.Object(
  { ...fields, start_date: NullableDate(START), end_date: NullableDate(END), ...optionalFields },
  OPEN,
)

export const SurveyChange = Type.Object(
  { ...Type.Partial(SurveyInput).properties, version: Type.Optional(IfVersion()) },
  OPEN,
)

export const PublicSurveysSchema = Type.Object(
  {
    surveys: Type.Array(JsonFields('A survey in the form that the SDKs show.')),
    survey_config: Type.Null(),
  },
  { $id: 'PublicSurveys', description: 'The surveys of a project, without archived ones.' },
)
