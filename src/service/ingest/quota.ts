import type { Indexer } from '../indexer/indexer.ts'
import type { Project } from '../store/metadata/projects.ts'

/**
 * The monthly quotas of projects. What counts is what is stored and was received in the calendar month (UTC), without
 * historical migrations: the same event sent twice, or dropped, costs nothing. It is counted every ten seconds, so that
 * a project may go beyond its quota by what arrives until then.
 */
export interface Quota {
  /** Whether a project has used its quota up at `now` (ms since 1970). False until it was counted for the first time. */
  isUsedUp(project: Project, now: number): boolean
  /** Told about each inbox row with events that count. */
  taken(project: Project, inboxRow: number): void
  stop(): void
}

export interface QuotaParts {
  readonly indexer: Pick<Indexer, 'query' | 'status'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Told once a month about each project whose events are refused. */
  readonly onWarning: (message: string) => void
}

/** How long after the end of one count the next one begins, and how long one may take. */
const COUNT_EVERY_MS = 10_000

interface Watched {
  /** Start of the month that `used` is of; null before the first count. */
  month: number | null
  used: number
  /** The last inbox row that was taken. */
  row: number
  /** Whether a count may find something new. */
  isMoving: boolean
  warnedMonth: number | null
}

/** Starts counting what projects with a quota use; a project is known from its first request on. */
export const startQuota = ({ indexer, now, onWarning }: QuotaParts): Quota => {
  const projects = new Map<number, Watched>()

  const count = async (projectId: number, watched: Watched): Promise<void> => {
    const month = monthOf(now())
    const { row } = watched
    const isAllStored = indexer.status().position >= row
    const sql = `select count(*) from events where received_at >= timestamptz '${new Date(month).toISOString()}' and not historical`
    try {
      const { rows } = await indexer.query({ projectId, sql, timeoutMs: COUNT_EVERY_MS, maxRows: 1 })
      watched.used = Number(rows[0]?.[0] ?? 0)
      watched.month = month
      if (isAllStored && watched.row === row) watched.isMoving = false
    } catch {
      // The store does not answer now, which the health check tells; the next round asks again.
    }
  }

  /** A project is asked for at once when it is first seen, then in rounds while it receives something. */
  const watch = (projectId: number): Watched => {
    let watched = projects.get(projectId)
    if (watched === undefined) {
      watched = { month: null, used: 0, row: 0, isMoving: true, warnedMonth: null }
      projects.set(projectId, watched)
      void count(projectId, watched)
    }
    return watched
  }

  let timer: NodeJS.Timeout
  const round = async (): Promise<void> => {
    for (const [projectId, watched] of projects) if (watched.isMoving) await count(projectId, watched)
    if (!isStopped) timer = setTimeout(() => void round(), COUNT_EVERY_MS)
  }
  let isStopped = false
  timer = setTimeout(() => void round(), COUNT_EVERY_MS)

  return {
    isUsedUp({ id, eventQuota }, now) {
      if (eventQuota === null) return false
      const watched = watch(id)
      const month = monthOf(now)
      if (watched.month !== month || watched.used < eventQuota) return false
      if (watched.warnedMonth !== month) {
        watched.warnedMonth = month
        onWarning(
          `Project ${id} has used up its quota of ${eventQuota} events a month (${watched.used} are stored). New ones are refused until ${dayOf(nextMonth(month))}, or until "project quota" gives it more; historical migrations are taken.`,
        )
      }
      return true
    },
    taken({ id, eventQuota }, inboxRow) {
      if (eventQuota === null) return
      const watched = watch(id)
      watched.row = Math.max(watched.row, inboxRow)
      watched.isMoving = true
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** The start of a moment's calendar month in UTC, both in milliseconds since 1970. */
const monthOf = (moment: number): number => {
  const date = new Date(moment)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

const nextMonth = (month: number): number => {
  const date = new Date(month)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10)
