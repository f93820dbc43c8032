import type { Clock } from '../../port/clock.ts'
import type { Logger } from '../../port/logger.ts'
import type { RequestContexts } from '../../port/request-context.ts'
import type { Send } from '../../port/send.ts'
import type { DefinitionsLoader } from './definitions-loader.ts'

/** A `$feature_flag_called` event, as `capture` takes it. */
export interface FlagEvent {
  readonly event: string
  readonly distinctId: string
  readonly properties: Record<string, unknown>
  readonly groups: Readonly<Record<string, string>>
  readonly disableGeoip: boolean
}

export interface NodeFlagsPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly send: Send
  readonly logger: Logger
  /** Keeps the process alive until the returned function is called. */
  readonly keepAlive: () => () => void
  /** Provides the distinct id for reads without one. */
  readonly contexts: Pick<RequestContexts, 'current'>
  /** While true, no request is sent and no read is reported. */
  readonly isOptedOut: () => boolean
  /** Enables local evaluation. Started and shut down with the flags. */
  readonly definitions?: DefinitionsLoader | undefined
  /**
   * Captures `$feature_flag_called`; never throws. Returns false if the event was dropped: the read is then not remembered as reported.
   *
   * @param allowedNames If given, the event keeps only properties whose names match.
   */
  readonly capture: (event: FlagEvent, allowedNames?: RegExp) => boolean
}
