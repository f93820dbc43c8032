import type { Clock } from '../port/clock.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Logger } from '../port/logger.ts'
import type { Send } from '../port/send.ts'
import type { WhenAtRest } from '../port/when-at-rest.ts'
import type { FlagSubject } from '../wire/decide.ts'
import type { CreateLocalFlags } from './local-flags.ts'

/** What the flags client needs from the agent and the platform. */
export interface FlagsPorts {
  readonly clock: Clock
  readonly storage: KeyValue
  readonly send: Send
  readonly logger: Logger
  /** Returns the current user. */
  readonly identity: () => FlagSubject
  /**
   * Captures `$feature_flag_called`. Returns false when the event was dropped: a later read is then reported.
   *
   * @param allowedNames When set, the event keeps only properties whose names match.
   */
  readonly capture: (event: string, properties: Record<string, unknown>, allowedNames?: RegExp) => boolean
  /** While true, nothing is requested, reported or stored. */
  readonly isOptedOut: () => boolean
  readonly whenAtRest: WhenAtRest
  /** Evaluates flags on the page. Undefined: only the service evaluates flags. */
  readonly local?: CreateLocalFlags | undefined
}
