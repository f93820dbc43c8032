import { EventName } from '../../wire/event.ts'
import { calledProperties } from '../called-properties.ts'
import { valueOf } from '../flag-detail.ts'
import { MINIMAL } from '../known-flag.ts'
import type { KnownFlag } from '../local-flags.ts'
import { createCalledLog, whoReads } from './called-log.ts'
import type { FlagsSubject } from './flag-subject.ts'
import type { NodeFlagsPorts } from './flags-ports.ts'
import type { Told } from './remote-flags.ts'

/** Reports reads as `$feature_flag_called`, each user's of each flag, value and groups once. */
export interface ReadReports {
  /** @param flag Undefined: there is no such flag, or nobody has told. */
  report(subject: FlagsSubject, key: string, flag: KnownFlag | undefined, told: Told): void
  /** Forgets what was reported, and reports no more. */
  stop(): void
}

/** @param capacity See `createCalledLog`. */
export const createReadReports = (
  capacity: number,
  { capture, isOptedOut }: Pick<NodeFlagsPorts, 'capture' | 'isOptedOut'>,
): ReadReports => {
  const log = createCalledLog(capacity)
  let isStopped = false
  return {
    report({ distinct_id: distinctId, groups, geoip_disable: disableGeoip }, key, flag, told) {
      if (isStopped || isOptedOut()) return
      const value = valueOf(flag)
      const who = whoReads(distinctId, groups)
      // Marked first: the capture may come back here through a hook.
      if (!log.add(who, key, value)) return
      const errors = value === undefined && !told.isOpen ? [...told.errors, 'flag_missing'] : told.errors
      const properties = {
        ...calledProperties(key, flag, undefined, true),
        [`$feature/${key}`]: value,
        locally_evaluated: false,
        $feature_flag_request_id: told.requestId,
        $feature_flag_error: errors.join() || undefined,
        ...flag?.called,
      }
      const only = flag?.only ?? (told.isMinimal && flag?.metadata?.has_experiment === false ? MINIMAL : undefined)
      if (!capture({ event: EventName.featureFlagCalled, distinctId, properties, groups, disableGeoip }, only))
        log.remove(who, key, value)
    },
    stop() {
      isStopped = true
      log.clear()
    },
  }
}
