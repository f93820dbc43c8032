import type { Inbox, InboxRow } from '../store/inbox/inbox.ts'

/** Ids that one look covers. It reads no bodies of the skipped rows, so that it ends within milliseconds. */
const WINDOW_ROWS = 20_000

/** Rows of a page of which only the projects matter. */
const MAX_SOUGHT_ROWS = 1000
const MAX_SOUGHT_BYTES = 64 * 1024

interface Page {
  readonly rows: readonly InboxRow[]
  readonly through: number
}

/** Finds rows of other projects behind the backlog of one, so that they need not wait for its end. */
export interface LookAhead {
  /**
   * Reads rows of all projects but one, in order, beyond those that an earlier call returned.
   *
   * @param after Rows up to this id are read already.
   */
  readOthers(busyProjectId: number, after: number, maxRows: number, maxBytes: number): readonly InboxRow[]
  /** Whether `readOthers` would return rows. */
  hasOthers(busyProjectId: number, after: number): boolean
  /** Notes that a project's rows up to this id are stored, or wait for a retry that begins with an earlier row. */
  onRead(projectId: number, throughId: number): void
  /** The rows that were not read ahead. Call it with each row that is read in order, in order. */
  withoutRead(rows: readonly InboxRow[]): readonly InboxRow[]
  /** Forgets what was read ahead, for a second reading of earlier rows. */
  reset(): void
}

export const createLookAhead = (inbox: Pick<Inbox, 'readOthersAfter' | 'lastAssignedId'>): LookAhead => {
  /** Where the next look begins, and the project that it leaves out. */
  let cursor = { projectId: 0, id: 0 }
  /** Project to the last of its rows that was read ahead. */
  const readThrough = new Map<number, number>()

  const isUnread = (row: InboxRow): boolean => row.id > (readThrough.get(row.projectId) ?? 0)

  /**
   * The rows of the first page that has any which were not read ahead, and the id up to which the others are. A project's rows must be read
   * without a gap: its store knows only the last of them.
   */
  const look = (projectId: number, after: number, maxRows: number, maxBytes: number): Page => {
    if (cursor.projectId !== projectId || cursor.id < after) cursor = { projectId, id: after }
    for (;;) {
      const windowEnd = Math.max(cursor.id, Math.min(cursor.id + WINDOW_ROWS, inbox.lastAssignedId()))
      const page = inbox.readOthersAfter({ after: cursor.id, through: windowEnd, projectId }, maxRows, maxBytes)
      const rows = page.filter(isUnread)
      const through = page.at(-1)?.id ?? windowEnd
      if (rows.length > 0 || page.length === 0) return { rows, through }
      cursor = { projectId, id: through }
    }
  }

  return {
    readOthers(projectId, after, maxRows, maxBytes) {
      const { rows, through } = look(projectId, after, maxRows, maxBytes)
      cursor = { projectId, id: through }
      return rows
    },
    hasOthers: (projectId, after) => look(projectId, after, MAX_SOUGHT_ROWS, MAX_SOUGHT_BYTES).rows.length > 0,
    onRead: (projectId, throughId) => void readThrough.set(projectId, throughId),
    withoutRead(rows) {
      if (readThrough.size === 0) return rows
      const unread = rows.filter(isUnread)
      const last = rows.at(-1)
      if (last !== undefined)
        for (const [projectId, throughId] of readThrough) if (throughId <= last.id) readThrough.delete(projectId)
      return unread
    },
    reset() {
      readThrough.clear()
      cursor = { projectId: 0, id: 0 }
    },
  }
}
