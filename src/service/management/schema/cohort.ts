import * as Type from 'typebox'
import { IfVersion, JsonFields, nullable, Time, Version } from '../../schema/types.ts'
import { FieldWarnings } from './field-warnings.ts'

const OPEN = { additionalProperties: true } as const

const fields = {
  name: Type.String({ minLength: 1, maxLength: 400, examples: ['Pro customers in Berlin'] }),
  filters: Type.Object(
    {
      properties: JsonFields('A tree of `{type: "AND" | "OR", values}`; its leaves are conditions. `{}` is everybody.'),
    },
    {
      ...OPEN,
      examples: [{ properties: { type: 'AND', values: [{ key: 'plan', value: 'pro' }] } }],
    },
  ),
}

const description = Type.Optional(nullable(Type.String()))
const deleted = Type.Boolean({ description: 'A deleted cohort is neither listed nor served.', default: false })

export const CohortSchema = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    ...fields,
    description,
    deleted: Type.Optional(deleted),
    version: Version(),
    created_at: Time('Time of creation.'),
    updated_at: Time('Time of the last change.'),
    warnings: FieldWarnings(),
  },
  { ...OPEN, $id: 'Cohort', description: 'Conditions with a name, for use in flags.' },
)

export const CohortInput = Type.Object({ ...fields, description, deleted: Type.Optional(nullable(deleted)) }, OPEN)

export const CohortChange = Type.Object(
  { ...Type.Partial(CohortInput).properties, version: Type.Optional(IfVersion()) },
  OPEN,
)
