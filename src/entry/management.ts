export {
  createClient,
  type Call,
  type Client,
  type QueryToWaitFor,
  type StartQueryOptions,
  type WaitForQueryOptions,
} from '../management/client.ts'
export type { ClientOptions } from '../management/client-options.ts'
export {
  ConnectionError,
  type ConnectionErrorCode,
  ManagementError,
  QueryFailedError,
  ServiceError,
} from '../management/management-error.ts'
export type {
  ArgumentsOf,
  CallOptions,
  ItemOf,
  ListPath,
  Method,
  PathsWith,
  ResultOf,
} from '../management/operation.ts'
export type {
  Account,
  Cohort,
  EarlyAccessFeature,
  ExplicitMember,
  FeatureFlag,
  FlagCondition,
  GroupType,
  OfferedFeatures,
  Organization,
  OrganizationMember,
  PersonalApiKey,
  Project,
  PublicSurveys,
  QueryResponse,
  QueryResult,
  QueryStatus,
  RecordingsCounts,
  SessionRecordingPlaylist,
  Survey,
  User,
} from '../management/schema.ts'
