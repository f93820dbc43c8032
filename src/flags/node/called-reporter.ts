import { EventName } from '../../wire/event.ts'
import { createCalledProperties } from '../called-properties.ts'
import { getFlagValue } from '../flag-detail.ts'
import { MINIMAL_LOCAL_PROPERTIES } from '../to-resolved-flag.ts'
import type { ResolvedFlag } from '../local-flags.ts'
import { createCalledLog, readerKey } from './called-log.ts'
import type { FlagsSubject } from './flags-subject.ts'
import type { NodeFlagsPorts } from './node-flags-ports.ts'
import type { EvaluationInfo } from './remote-flags.ts'

/** Reports reads as `$feature_flag_called`, once per user, flag, value and groups. */
export interface CalledReporter {
  /** @param flag Undefined: the flag is missing, or the evaluation failed. */
  report(subject: FlagsSubject, key: string, flag: ResolvedFlag | undefined, info: EvaluationInfo): void
  /** Clears the log; later reads are not reported. */
  stop(): void
}

/** @param capacity See `createCalledLog`. */
export const createCalledReporter = (
  capacity: number,
  { capture, isOptedOut }: Pick<NodeFlagsPorts, 'capture' | 'isOptedOut'>,
): CalledReporter => {
  const log = createCalledLog(capacity)
  let isStopped = false
  return {
    report({ distinct_id: distinctId, groups, geoip_disable: disableGeoip }, key, flag, info) {
      if (isStopped || isOptedOut()) return
      const value = getFlagValue(flag)
      const reader = readerKey(distinctId, groups)
      // Added before the capture, because a `before_send` hook may read the same flag.
      if (!log.add(reader, key, value)) return
      const errors = value === undefined && !info.isIncomplete ? [...info.errors, 'flag_missing'] : info.errors
      const properties = {
        ...createCalledProperties(key, flag, undefined, true),
        [`$feature/${key}`]: value,
        locally_evaluated: false,
        $feature_flag_request_id: info.requestId,
        $feature_flag_error: errors.join() || undefined,
        ...flag?.calledProperties,
      }
      const allowedNames =
        flag?.allowedNames ??
        (info.isMinimal && flag?.metadata?.has_experiment === false ? MINIMAL_LOCAL_PROPERTIES : undefined)
      if (!capture({ event: EventName.featureFlagCalled, distinctId, properties, groups, disableGeoip }, allowedNames))
        log.remove(reader, key, value)
    },
    stop() {
      isStopped = true
      log.clear()
    },
  }
}
