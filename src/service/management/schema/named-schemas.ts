import type { TSchema } from 'typebox'
import { ApiErrorSchema } from '../../schema/api-error.ts'
import { CohortSchema } from './cohort.ts'
import { EarlyAccessFeatureSchema, OfferedFeaturesSchema } from './early-access-feature.ts'
import { FeatureFlagSchema, FlagConditionSchema } from './feature-flag.ts'
import { GroupTypeSchema } from './group-type.ts'
import { QueryResponseSchema, QueryStatusSchema } from './query.ts'
import { PublicSurveysSchema, SurveySchema } from './survey.ts'

/** All schemas that others refer to by `$id`: the components of the OpenAPI document. */
export const namedSchemas: Readonly<Record<string, TSchema>> = Object.fromEntries(
  [
    ApiErrorSchema,
    CohortSchema,
    EarlyAccessFeatureSchema,
    FeatureFlagSchema,
    FlagConditionSchema,
    GroupTypeSchema,
    OfferedFeaturesSchema,
    PublicSurveysSchema,
    QueryResponseSchema,
    QueryStatusSchema,
    SurveySchema,
  ].map((schema) => [(schema as { $id?: string }).$id, schema]),
)
