import type { Clock } from '../port/clock.ts'
import type { Logger } from '../port/logger.ts'
import type { Send } from '../port/send.ts'
import type { FlagDetail, FlagSubject } from '../wire/decide.ts'
import type { FetchFlags } from './fetch-flags.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsOptions } from './flags-options.ts'

/** A flag as callers read it: from the service, or evaluated locally. */
export interface ResolvedFlag extends FlagDetail {
  /** Properties that `$feature_flag_called` has in addition to, or instead of, its usual ones. */
  readonly calledProperties?: Readonly<Record<string, unknown>>
  /** When set, the event keeps only properties whose names match. */
  readonly allowedNames?: RegExp | undefined
}

/** Evaluates flags on the page, in addition to the service. */
export interface LocalFlags {
  /**
   * Returns the flags as callers read them now: local values override those of the service. The same object until
   * something changes; undefined when no flag is known. Caches the last evaluation and is synchronous.
   */
  readonly resolveFlags: (
    snapshot: FlagSnapshot,
    subject: FlagSubject,
  ) => Readonly<Record<string, ResolvedFlag>> | undefined
  /** Fetches only the flags that cannot be evaluated here; sends no request when there are none. */
  readonly fetchFlags: FetchFlags
  /**
   * Returns whether a flag without a value is certainly missing, and not only waiting for a response. Undefined when local
   * evaluation cannot decide that.
   */
  readonly isConfirmedMissing: (snapshot: FlagSnapshot, key: string) => boolean | undefined
  /** Makes the next `fetchFlags` load the definitions again and repeat its requests to the service. */
  readonly invalidate: () => void
  /** Resolves when the definitions requested by earlier `fetchFlags` calls are in use or have failed to load. */
  readonly whenLoaded: () => Promise<void> | undefined
}

/** What local flags need from the flags client. */
export interface LocalFlagsPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly send: Send
  readonly logger: Logger
}

/**
 * Creates the local evaluation of one flags client.
 *
 * @param fetchFromService Fetches flags from the service.
 * @param onDefinitionsLoaded Called after a load of definitions that has changed them, or that failed or recovered. `hasChanged` says
 *   whether flag values may differ now. The callee fetches flags again; its promise resolves after that.
 */
export type CreateLocalFlags = (
  fetchFromService: FetchFlags,
  ports: LocalFlagsPorts,
  options: Pick<FlagsOptions, 'requestTimeout' | 'flagsIntervalMs'>,
  onDefinitionsLoaded: (hasChanged: boolean) => Promise<void>,
) => LocalFlags
