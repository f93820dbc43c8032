import type { Waymark } from '../agent/waymark.ts'

/** What hooks and components need of an agent. Those of pages and apps have it, and so has the one of `waymark/testing`. */
export type WaymarkClient = Pick<
  Waymark,
  'capture' | 'getAnonymousId' | 'getFeatureFlag' | 'getFeatureFlagResult' | 'onFeatureFlags'
>
