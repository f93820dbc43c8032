import type { Clock } from '../port/clock.ts'
import type { Logger } from '../port/logger.ts'
import type { Send } from '../port/send.ts'
import type { FlagDetail, FlagSubject } from '../wire/decide.ts'
import type { AskFlags } from './ask-flags.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsOptions } from './flags-options.ts'

/** A flag as it is read. */
export interface KnownFlag extends FlagDetail {
  /** What `$feature_flag_called` says of it beyond, or instead of, what is said of every flag. */
  readonly called?: Readonly<Record<string, unknown>>
}

/** What evaluates flags on the page, beside the service. */
export interface LocalFlags {
  /**
   * What is read at this moment: values evaluated here over those that the service has told. The same object until something about it
   * changes; undefined when no flag is known. Evaluates nothing twice, never waits.
   */
  readonly over: (snapshot: FlagSnapshot, who: FlagSubject) => Readonly<Record<string, KnownFlag>> | undefined
  /** Asks the service only for what cannot be evaluated here, and not at all when there is no such flag. */
  readonly ask: AskFlags
}

/** What the client of the flags gives. */
export interface LocalPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly send: Send
  readonly logger: Logger
}

/**
 * @param ask Asks the service.
 * @param onNews To be called when values are other ones for another reason than the service's answer.
 */
export type CreateLocalFlags = (
  ask: AskFlags,
  ports: LocalPorts,
  options: Pick<FlagsOptions, 'requestTimeout'>,
  onNews: () => void,
) => LocalFlags
