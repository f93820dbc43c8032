import type { JsonObject } from './json.ts'

/** Event names that the service knows. Every other name is the user's own. */
export const EventName = {
  pageview: '$pageview',
  screen: '$screen',
  identify: '$identify',
  createAlias: '$create_alias',
  groupIdentify: '$groupidentify',
  /** Second spelling of the group event, from the migration guide; the service accepts both. */
  groupIdentifyMigration: '$group_identify',
  /** Has only `$set` and `$set_once`, which change the person. */
  set: '$set',
  featureFlagCalled: '$feature_flag_called',
  surveyShown: 'survey shown',
  surveySent: 'survey sent',
  surveyDismissed: 'survey dismissed',
} as const

/** Events that only apps capture by themselves. Apart from `EventName`, so that pages do not load them. */
export const AppEventName = {
  installed: 'Application Installed',
  updated: 'Application Updated',
  opened: 'Application Opened',
  backgrounded: 'Application Backgrounded',
  deepLinkOpened: 'Deep Link Opened',
  exception: '$exception',
  autocapture: '$autocapture',
} as const

/** One event on the wire. `distinct_id` is both at the top level and in `properties`, because services read either. */
export interface WireEvent {
  /** A version 7 uuid, created once at capture. The service stores each uuid once. */
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  /** Time of the capture: ISO 8601, UTC. */
  readonly timestamp: string
  readonly properties: JsonObject
}

/** Body of `POST /batch/`. */
export interface BatchRequest {
  readonly api_key: string
  readonly batch: readonly WireEvent[]
  /** Time of the request by the sender's clock: ISO 8601. */
  readonly sent_at?: string
  /** True for an import of history: events stay in order, are not billed, and trigger no spike detection. */
  readonly historical_migration?: boolean
}
