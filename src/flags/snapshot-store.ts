import type { FlagDetail } from '../wire/decide.ts'
import { loadSnapshot, SNAPSHOT_KEY } from './flag-snapshot.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsPorts } from './flags-ports.ts'

/** What is known about the current user's flags, and the stored copy of it for the next page. */
export interface SnapshotStore {
  current(): FlagSnapshot
  /** Changes fields of the snapshot. The copy is written once, soon after this turn; while the user is opted out it is not. */
  update(changes: FlagSnapshot): void
  /**
   * Reads the stored snapshot of `owner`.
   *
   * @param bootstrappedFlags They replace stored flags; those that are off remove them. Undefined: no flags were bootstrapped.
   */
  load(owner: string, bootstrappedFlags: Readonly<Record<string, FlagDetail>> | undefined): void
}

export const createSnapshotStore = ({ storage, clock, isOptedOut }: FlagsPorts): SnapshotStore => {
  let snapshot: FlagSnapshot
  let isSaving = false

  return {
    current: () => snapshot,
    update(changes) {
      snapshot = { ...snapshot, ...changes }
      if (isSaving) return
      isSaving = true
      clock.defer(() => {
        isSaving = false
        if (!isOptedOut()) storage.set(SNAPSHOT_KEY, JSON.stringify(snapshot))
      })
    },
    load(owner, bootstrappedFlags) {
      snapshot = loadSnapshot(storage, owner)
      if (bootstrappedFlags)
        snapshot.flags = Object.fromEntries(
          Object.entries({ ...snapshot.flags, ...bootstrappedFlags }).filter(
            ([name]) => bootstrappedFlags[name]?.enabled !== false,
          ),
        )
    },
  }
}
