import type { Waymark } from '../agent/waymark.ts'
import type { FlagVerbs } from '../flags/flag-verbs.ts'
import type { FlagValue } from '../wire/decide.ts'
import type { FlagKey } from '../wire/typed-flags.ts'

/**
 * What hooks and components need of an agent. Those of pages and apps have it, and so have the one of `waymark/testing` and the object of
 * `waymark/compat`, whose types do not know the flags that a program declares.
 */
export interface WaymarkClient extends Pick<Waymark, 'capture' | 'getAnonymousId'> {
  getFeatureFlag(key: FlagKey, options?: ReadOptions): FlagValue | undefined
  getFeatureFlagResult(key: FlagKey, options?: ReadOptions): object | undefined
  /** @param listener Its last argument tells whether the service has not responded yet. */
  onFeatureFlags(listener: (...args: unknown[]) => void): () => void
}

type ReadOptions = NonNullable<Parameters<FlagVerbs['getFeatureFlag']>[1]>
