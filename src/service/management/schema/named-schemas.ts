import type { TSchema } from 'typebox'
import { ApiErrorSchema } from '../../schema/api-error.ts'
import { CohortSchema } from './cohort.ts'
import { DashboardSchema, DashboardSummarySchema } from './dashboard.ts'
import { EventDefinitionSchema, PropertyDefinitionSchema } from './definition.ts'
import { EventSchema } from './event.ts'
import { GroupSchema } from './group.ts'
import { InsightSchema } from './insight.ts'
import { EarlyAccessFeatureSchema, OfferedFeaturesSchema } from './early-access-feature.ts'
import { ExplicitMemberSchema } from './explicit-member.ts'
import { ExportSchema } from './export.ts'
import { FeatureFlagSchema, FlagConditionSchema } from './feature-flag.ts'
import { GroupTypeSchema } from './group-type.ts'
import { FunnelsQuerySchema } from '../../insight/schema/funnels-query.ts'
import { LifecycleQuerySchema } from '../../insight/schema/lifecycle-query.ts'
import { RetentionQuerySchema } from '../../insight/schema/retention-query.ts'
import { StickinessQuerySchema } from '../../insight/schema/stickiness-query.ts'
import {
  ActorsQuerySchema,
  InsightActorsQuerySchema,
  FunnelsActorsQuerySchema,
} from '../../insight/schema/actors-query.ts'
import { EventsQuerySchema } from '../../insight/schema/events-query.ts'
import { PathsQuerySchema } from '../../insight/schema/paths-query.ts'
import { TrendsQuerySchema } from '../../insight/schema/trends-query.ts'
import {
  InsightResponseSchema,
  InsightResultSchema,
  QueryResponseSchema,
  QueryResultSchema,
  QueryStatusResponseSchema,
  QueryStatusSchema,
} from './query.ts'
import { OrganizationMemberSchema, OrganizationSchema } from './organization.ts'
import { PersonSchema } from './person.ts'
import { PersonalApiKeySchema } from './personal-api-key.ts'
import { ProjectSchema } from './project.ts'
import { PlaylistSchema, RecordingsCountsSchema } from './session-recording-playlist.ts'
import { PublicSurveysSchema, SurveySchema } from './survey.ts'
import { AccountSchema, UserSchema } from './user.ts'

/** All schemas that others refer to by `$id`: the components of the OpenAPI document. */
export const namedSchemas: Readonly<Record<string, TSchema>> = Object.fromEntries(
  [
    AccountSchema,
    ActorsQuerySchema,
    ApiErrorSchema,
    CohortSchema,
    DashboardSchema,
    DashboardSummarySchema,
    EventDefinitionSchema,
    PropertyDefinitionSchema,
    EarlyAccessFeatureSchema,
    EventSchema,
    EventsQuerySchema,
    ExplicitMemberSchema,
    ExportSchema,
    FeatureFlagSchema,
    FlagConditionSchema,
    FunnelsActorsQuerySchema,
    FunnelsQuerySchema,
    GroupSchema,
    GroupTypeSchema,
    InsightActorsQuerySchema,
    InsightResponseSchema,
    InsightSchema,
    InsightResultSchema,
    LifecycleQuerySchema,
    OfferedFeaturesSchema,
    OrganizationMemberSchema,
    OrganizationSchema,
    PathsQuerySchema,
    PersonSchema,
    PersonalApiKeySchema,
    ProjectSchema,
    PublicSurveysSchema,
    QueryResponseSchema,
    QueryResultSchema,
    QueryStatusResponseSchema,
    QueryStatusSchema,
    RetentionQuerySchema,
    StickinessQuerySchema,
    SurveySchema,
    TrendsQuerySchema,
    UserSchema,
    PlaylistSchema,
    RecordingsCountsSchema,
  ].map((schema) => [(schema as { $id?: string }).$id, schema]),
)
