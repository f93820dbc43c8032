import * as Type from 'typebox'
import { IfVersion, JsonFields, nullable, Time, Uuid, Version } from '../../schema/types.ts'
import { FieldWarnings } from './field-warnings.ts'
import { STAGES } from '../../store/metadata/early-access-features.ts'

const name = Type.String({ minLength: 1, maxLength: 200, examples: ['New editor'] })
const fields = {
  description: Type.String({ maxLength: 10_000, examples: ['Write together.'] }),
  stage: Type.Enum(STAGES, { description: 'Pages do not see drafts and archived features.', examples: ['beta'] }),
  documentation_url: Type.String({ description: 'A URL, or an empty string.', maxLength: 10_000 }),
  payload: JsonFields('Anything that pages need to show the feature.'),
}
const flagIdDescription = 'The flag in which people enrol; without one, a new flag is created. It cannot be changed.'

export const EarlyAccessFeatureSchema = Type.Object(
  {
    id: Uuid('Id in paths.'),
    name,
    ...fields,
    feature_flag_id: Type.Integer({ description: flagIdDescription, examples: [1] }),
    version: Version(),
    created_at: Time('Time of creation.'),
    warnings: FieldWarnings(),
  },
  {
    $id: 'EarlyAccessFeature',
    description: 'A feature that people can try before its release, by enrolling in its flag.',
  },
)

const optionalFields = {
  ...Type.Partial(Type.Object(fields)).properties,
  feature_flag_id: Type.Optional(nullable(Type.Integer(), { description: flagIdDescription })),
}

export const EarlyAccessFeatureInput = Type.Object({ name, ...optionalFields })

export const EarlyAccessFeatureChange = Type.Object({
  name: Type.Optional(name),
  ...optionalFields,
  version: Type.Optional(IfVersion()),
})

/** A feature as pages see it. The names of its fields are those of the protocol. */
export const OfferedFeaturesSchema = Type.Object(
  {
    earlyAccessFeatures: Type.Array(
      Type.Object({
        id: Uuid('Id of the feature.'),
        name,
        description: fields.description,
        stage: fields.stage,
        documentationUrl: fields.documentation_url,
        payload: fields.payload,
        flagKey: Type.String({ description: 'Enrolling sets the person property `$feature_enrollment/<key>`.' }),
      }),
    ),
  },
  { $id: 'OfferedFeatures', description: 'The features in which people can enrol.' },
)
