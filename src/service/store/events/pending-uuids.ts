import type { RowPosition } from '../row-position.ts'
import { coversRow } from '../row-position.ts'
import type { EventIdentity } from './event-store.ts'

/**
 * The uuids of events that were checked for duplicates and are not committed. They are claimed in the order of the checks, so that the
 * events of a batch can be checked before the batch before it is written.
 */
export interface PendingUuids {
  /** Whether another event claimed the uuid; claims it for this event if not. */
  isClaimed(event: EventIdentity): boolean
  /** Forgets what is stored at a position. */
  onCommit(position: RowPosition): void
  clear(): void
}

export const createPendingUuids = (): PendingUuids => {
  // In the order of their inbox rows, but for requests that are read again.
  const owners = new Map<string, Pick<EventIdentity, 'inboxRow' | 'index'>>()
  return {
    isClaimed({ uuid, inboxRow, index }) {
      const owner = owners.get(uuid)
      if (owner !== undefined) return owner.inboxRow !== inboxRow || owner.index !== index
      // Not the event itself, which would keep its properties in memory.
      owners.set(uuid, { inboxRow, index })
      return false
    },
    onCommit(position) {
      for (const [uuid, { inboxRow }] of owners) {
        if (!coversRow(position, inboxRow)) return
        owners.delete(uuid)
      }
    },
    clear: () => owners.clear(),
  }
}
