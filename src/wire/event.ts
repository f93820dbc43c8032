import type { JsonObject } from './json.ts'

/** Event names with a meaning to the service. Every other name is the user's own. */
export const EventName = {
  pageview: '$pageview',
  screen: '$screen',
  identify: '$identify',
  createAlias: '$create_alias',
  groupIdentify: '$groupidentify',
  /** The second spelling of the group event, used by the migration guidance; the service accepts both. */
  groupIdentifyMigration: '$group_identify',
  /** Carries `$set` / `$set_once` alone. */
  set: '$set',
  featureFlagCalled: '$feature_flag_called',
  surveyShown: 'survey shown',
  surveySent: 'survey sent',
  surveyDismissed: 'survey dismissed',
} as const

/** One event as it stands on the wire. `distinct_id` stands both at the top and inside `properties`: services read either. */
export interface WireEvent {
  /** Version 7, assigned once at capture; the service stores each uuid once. */
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  /** ISO 8601, UTC, the moment of the capture. */
  readonly timestamp: string
  readonly properties: JsonObject
}

/** Body of `POST /batch/`. */
export interface BatchRequest {
  readonly api_key: string
  readonly batch: readonly WireEvent[]
  /** ISO 8601: when the request was made, by the sender's clock. */
  readonly sent_at?: string
  /** True for an import of history: events stay in order, are not billed and start no spike detection. */
  readonly historical_migration?: boolean
}
