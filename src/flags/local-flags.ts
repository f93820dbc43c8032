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
  /** The event keeps no other properties than those with such names. */
  readonly only?: RegExp | undefined
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
  /**
   * Whether a flag without a value is known to have none, as opposed to one about which there is no answer yet. Undefined where
   * evaluation on the page does not matter for that.
   */
  readonly isTold: (snapshot: FlagSnapshot, key: string) => boolean | undefined
  /** The next `ask` shall look for other definitions, and ask the service again for what it has told. */
  readonly renew: () => void
  /** Resolves when the definitions that an `ask` before this call looks for are there or not to be had, and in use. */
  readonly loaded: () => Promise<void> | undefined
}

/** What the client of the flags gives. */
export interface LocalPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly send: Send
  readonly logger: Logger
}

/**
 * @param ask Asks the service.
 * @param onNews To be called when a load of definitions has changed something, with whether values may be other ones at once. Asks
 *   again; resolves after that.
 */
export type CreateLocalFlags = (
  ask: AskFlags,
  ports: LocalPorts,
  options: Pick<FlagsOptions, 'requestTimeout' | 'flagsIntervalMs'>,
  onNews: (isOther: boolean) => Promise<void>,
) => LocalFlags
