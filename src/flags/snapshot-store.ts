import { stringify } from '../lib/stringify.ts'
import type { FlagDetail } from '../wire/decide.ts'
import { createFlagDetails } from './flag-detail.ts'
import { loadSnapshot, SNAPSHOT_KEY } from './flag-snapshot.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsBootstrap } from './flags-options.ts'
import type { FlagsPorts } from './flags-ports.ts'

/** What is known about the current user's flags, and the stored copy of it for the next page. */
export interface SnapshotStore {
  current(): FlagSnapshot
  /** The bootstrapped flags of the current user. */
  bootstrapped(): Readonly<Record<string, FlagDetail>>
  /** Changes fields of the snapshot. The copy is written once, soon after this turn; while the user is opted out it is not. */
  update(changes: FlagSnapshot): void
  /**
   * Reads the stored snapshot of `owner`.
   *
   * @param bootstrap Its flags replace stored flags; those that are off remove them.
   */
  load(owner: string, bootstrap: FlagsBootstrap | undefined): void
}

export const createSnapshotStore = ({ storage, clock, isOptedOut }: FlagsPorts): SnapshotStore => {
  let snapshot: FlagSnapshot
  let bootstrapped: Record<string, FlagDetail>
  let isSaving = false

  return {
    current: () => snapshot,
    bootstrapped: () => bootstrapped,
    update(changes) {
      snapshot = { ...snapshot, ...changes }
      if (isSaving) return
      isSaving = true
      clock.defer(() => {
        isSaving = false
        if (!isOptedOut()) storage.set(SNAPSHOT_KEY, stringify(snapshot))
      })
    },
    load(owner, bootstrap) {
      snapshot = loadSnapshot(storage, owner)
      bootstrapped = createFlagDetails(bootstrap?.featureFlags, bootstrap?.featureFlagPayloads)
      if (!bootstrap?.featureFlags) return
      const flags = { ...snapshot.flags, ...bootstrapped }
      for (const name of Object.keys(bootstrapped)) if (!bootstrapped[name]!.enabled) delete flags[name]
      snapshot.flags = flags
    },
  }
}
