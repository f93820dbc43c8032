import { setTimeout as pause } from 'node:timers/promises'
import type { InboxRow } from '../../store/inbox/inbox.ts'
import type { RowPosition } from '../../store/row-position.ts'
import { coversRow } from '../../store/row-position.ts'
import { planWork, suspicionsAfter } from './poison-policy.ts'
import type { ProcessEnd, Suspicion } from './poison-policy.ts'
import type { WorkRecordFile } from './work-record.ts'

/** Works on inbox rows so that one which kills the process every time does not do so for ever. */
export interface Careful {
  /** Works on rows of one project, all that the store does not cover, each in its turn. */
  work(projectId: number, rows: readonly InboxRow[], ways: Ways): Promise<void>
  /** The process was told to end: however it does, its rows are not to blame. What rests, rejects. */
  end(): void
}

/** What can be done with rows. Each moves the position beyond them, or rejects. */
export interface Ways {
  readonly position: () => RowPosition
  readonly index: (rows: readonly InboxRow[]) => Promise<void>
  readonly setAside: (row: InboxRow, reason: string) => Promise<void>
}

/**
 * Remembers in a file what is being worked on, and reads there what the process before this one died of.
 *
 * @param lastEnd how that one ended.
 */
export const createCareful = (file: WorkRecordFile, lastEnd: ProcessEnd): Careful => {
  const suspicions = new Map(suspicionsAfter(file.left, lastEnd).map((one) => [one.projectId, one]))
  const ended = new AbortController()
  const keep = (working: number | null): void => {
    if (!ended.signal.aborted) file.write({ working, suspicions: [...suspicions.values()] })
  }
  keep(null)

  const suspect = (suspicion: Suspicion): void => {
    // The newest is last, which a file that is full keeps.
    suspicions.delete(suspicion.projectId)
    suspicions.set(suspicion.projectId, suspicion)
  }

  return {
    async work(projectId, rows, { position, index, setAside }) {
      let left = rows.filter(({ id }) => !coversRow(position(), id))
      for (let [first] = left; first !== undefined; [first] = left) {
        const lastRow = left.at(-1)!.id
        const work = { projectId, place: placeOf(position()), firstRow: first.id, lastRow }
        const { how, restMs, suspicion } = planWork(suspicions.get(projectId), work)
        const deaths = suspicion.crashes + suspicion.kills
        if (how === 'leave') throw new Error(leftReason(first.id, deaths))
        if (restMs > 0) await pause(restMs, undefined, { signal: ended.signal })
        suspect(suspicion)
        keep(projectId)
        try {
          if (how === 'together') await index(left)
          else if (how === 'alone') await index([first])
          else await setAside(first, asideReason(deaths))
        } finally {
          keep(null)
        }
        left = how === 'together' ? [] : left.slice(1)
        if (suspicion.aloneThrough <= suspicion.lastRow) suspicions.delete(projectId)
      }
    },
    end() {
      if (ended.signal.aborted) return
      // An operator who starts the service again has it tried again.
      suspicions.clear()
      keep(null)
      ended.abort()
      file.close()
    },
  }
}

/** Equal for positions that are. */
const placeOf = ({ inboxRow, events }: RowPosition): string => `${inboxRow}/${events}`

const asideReason = (deaths: number): string =>
  `the indexer process died ${deaths} times in a row while it worked on this request alone, for want of memory or by a fault in native code`

const leftReason = (row: number, deaths: number): string =>
  `the indexer process died ${deaths} times in a row at inbox row ${row}, at last while it set that row aside. ` +
  `Give the service more memory and start it again: nothing of the project is stored before`
