import type { SqliteDatabase } from '../sqlite/sqlite.ts'
import type { StoredRequests } from './inbox.ts'

/** The record of the requests that were deleted from an inbox file because an event store has them. It finds a store that lost them since. */
export interface StoredRecord {
  /** Adds the rows that are deleted next: the first `maxRows` up to `id`. Call it in the transaction of the deletion. */
  add(id: number, maxRows: number): void
  storedAfter(projectId: number, row: number): StoredRequests | null
  storedProjects(): readonly number[]
}

/** Entries of a project. The oldest ones are merged, so that the last ones tell exactly how many requests are missing. */
const MAX_ENTRIES = 64

/** Of the table `stored`. */
interface Entry {
  readonly firstRow: number
  readonly lastRow: number
  readonly requests: number
}

export const createStoredRecord = (db: SqliteDatabase): StoredRecord => {
  const deleted = '(SELECT id, project_id FROM request WHERE id <= ? ORDER BY id LIMIT ?)'
  const insert = db.prepare<[number, number]>(
    `INSERT OR REPLACE INTO stored SELECT project_id, max(id), min(id), count(*) FROM ${deleted} GROUP BY project_id`,
  )
  const selectCrowded = db
    .prepare<[number, number, number], number>(
      `SELECT project_id FROM stored WHERE project_id IN (SELECT project_id FROM ${deleted})
      GROUP BY project_id HAVING count(*) > ?`,
    )
    .pluck()
  const selectEntries = db.prepare<[number, number, number], Entry>(
    `SELECT first_row AS firstRow, last_row AS lastRow, requests FROM stored WHERE project_id = ? AND last_row > ?
    ORDER BY last_row LIMIT ?`,
  )
  const remove = db.prepare<[number, number]>('DELETE FROM stored WHERE project_id = ? AND last_row = ?')
  const update = db.prepare<[number, number, number, number]>(
    'UPDATE stored SET first_row = ?, requests = ? WHERE project_id = ? AND last_row = ?',
  )
  const selectProjects = db.prepare<[], number>('SELECT DISTINCT project_id FROM stored').pluck()

  const mergeOldest = (projectId: number): void => {
    const [oldest, next] = selectEntries.all(projectId, 0, 2)
    if (oldest === undefined || next === undefined) return
    remove.run(projectId, oldest.lastRow)
    update.run(oldest.firstRow, oldest.requests + next.requests, projectId, next.lastRow)
  }

  return {
    add(id, maxRows) {
      insert.run(id, maxRows)
      for (const projectId of selectCrowded.all(id, maxRows, MAX_ENTRIES)) mergeOldest(projectId)
    },
    storedAfter(projectId, row) {
      const entries = selectEntries.all(projectId, row, MAX_ENTRIES + 1)
      const [first] = entries
      const last = entries.at(-1)
      if (first === undefined || last === undefined) return null
      // Of an entry that begins before, only the last request is surely after the row.
      const isExact = first.firstRow > row
      const requests = entries.slice(isExact ? 0 : 1).reduce((sum, entry) => sum + entry.requests, isExact ? 0 : 1)
      return { requests, isExact, lastRow: last.lastRow }
    },
    storedProjects: () => selectProjects.all(),
  }
}
