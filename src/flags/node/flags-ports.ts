import type { Clock } from '../../port/clock.ts'
import type { Logger } from '../../port/logger.ts'
import type { RequestContexts } from '../../port/request-context.ts'
import type { Send } from '../../port/send.ts'
import type { DefinitionsLoader } from './definitions-loader.ts'

/** An event about flags, as the agent's `capture` takes it. */
export interface FlagEvent {
  readonly event: string
  readonly distinctId: string
  readonly properties: Record<string, unknown>
  readonly groups: Readonly<Record<string, string>>
  readonly disableGeoip: boolean
}

/** What the agent and the platform give. */
export interface NodeFlagsPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly send: Send
  readonly logger: Logger
  /** Keeps the process alive until the answer is called. */
  readonly hold: () => () => void
  /** Says who a read without a distinct id is about. */
  readonly contexts: Pick<RequestContexts, 'current'>
  /** While true the service is not asked, and nothing is reported or marked. */
  readonly isOptedOut: () => boolean
  /** Evaluates flags here; without it the service alone does. Started and shut down with the flags. */
  readonly definitions?: DefinitionsLoader | undefined
  /**
   * Takes `$feature_flag_called`; never throws. An answer of `false` says that the event was dropped: the read is then not marked as reported.
   *
   * @param only Given: the event keeps no other properties than those with such names.
   */
  readonly capture: (event: FlagEvent, only?: RegExp) => boolean
}
