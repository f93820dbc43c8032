import { EventName } from '../wire/event.ts'
import { createCalledProperties, MINIMAL_CALLED_PROPERTIES } from './called-properties.ts'
import { getFlagValue } from './flag-detail.ts'
import type { FlagLoader } from './flag-loader.ts'
import type { FlagsPorts } from './flags-ports.ts'
import type { ResolvedFlag } from './local-flags.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** Maximum stored reads. Above this number the oldest read is removed, and would be reported again. */
const MAX_CALLED = 1_000

/** Creates a function that captures `$feature_flag_called` for each value of a flag that is read, once per user and value. */
export const createUserCalledReporter = (
  ports: FlagsPorts,
  snapshots: SnapshotStore,
  { status, isConfirmedMissing }: Pick<FlagLoader, 'status' | 'isConfirmedMissing'>,
): ((name: string, flag: ResolvedFlag | undefined) => void) => {
  return (name, flag) => {
    const value = getFlagValue(flag)
    const reportedRead = `${name}\t${value}`
    const snapshot = snapshots.current()
    const { called = [] } = snapshot
    if (
      !(flag ?? isConfirmedMissing?.(snapshot, name) ?? (snapshot.flags && !snapshot.isPart)) ||
      ports.isOptedOut() ||
      called.includes(reportedRead)
    )
      return
    // Recorded before the capture, because a hook of the page may read the flag again while the event is captured.
    snapshots.update({ called: [...called, reportedRead].slice(-MAX_CALLED) })
    const isCaptured = ports.capture(
      EventName.featureFlagCalled,
      {
        ...createCalledProperties(name, flag, snapshots.bootstrapped()[name], status.hasResponse),
        $feature_flag_request_id: snapshot.requestId,
        $feature_flag_error:
          (value === undefined ? [...status.errors, 'flag_missing'] : status.errors).join() || undefined,
        ...flag?.calledProperties,
      },
      flag?.allowedNames ??
        (snapshot.isMinimal && flag?.metadata?.has_experiment === false ? MINIMAL_CALLED_PROPERTIES : undefined),
    )
    if (!isCaptured)
      snapshots.update({ called: snapshots.current().called?.filter((storedRead) => storedRead !== reportedRead) })
  }
}
