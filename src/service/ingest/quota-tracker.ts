import type { Indexer } from '../indexer/indexer.ts'
import type { Engine } from '../store/events/question/engine.ts'
import type { Project } from '../store/metadata/projects.ts'

/** What a quota needs to know of a project. */
type QuotaProject = Pick<Project, 'id' | 'name' | 'apiKey' | 'eventQuota'>

/**
 * The monthly event quotas of projects. Counts stored events that were received in the calendar month (UTC), without
 * historical migrations; duplicates and dropped events are not stored and cost nothing. The count runs every ten seconds, so a
 * project can exceed its quota by what arrives in between.
 */
export interface QuotaTracker {
  /** Whether a project has used up its quota at `now` (ms since 1970). False until the first count. */
  isExceeded(project: QuotaProject, now: number): boolean
  /** Records an inbox row whose events count. */
  recordRow(project: QuotaProject, inboxRow: number): void
  stop(): void
}

/** Dependencies of the quota tracker. */
export interface QuotaParts {
  readonly indexer: Pick<Indexer, 'query' | 'status'>
  /** That of the event stores. */
  readonly engine: Pick<Engine, 'time'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called once a month for each project whose events are rejected. */
  readonly onWarning: (message: string) => void
}

/** The pause between two counts, and how long one count may take. */
const COUNT_INTERVAL_MS = 10_000

interface ProjectUsage {
  /** Start of the month of `eventCount`; null before the first count. */
  month: number | null
  eventCount: number
  /** The last inbox row. */
  lastRow: number
  /** Whether the next count can differ from the last one. */
  isOutdated: boolean
  warnedMonth: number | null
}

/** Starts to count the events of projects with a quota; a project is added at its first request. */
export const startQuotaTracker = ({ indexer, engine, now, onWarning }: QuotaParts): QuotaTracker => {
  const projects = new Map<number, ProjectUsage>()

  const count = async (projectId: number, usage: ProjectUsage): Promise<void> => {
    const month = startOfMonth(now())
    const { lastRow } = usage
    const isAllStored = indexer.status().position >= lastRow
    const sql = `select count(*) from events where received_at >= ${engine.time(month)} and not historical`
    try {
      const { rows } = await indexer.query({ projectId, sql, timeoutMs: COUNT_INTERVAL_MS, maxRows: 1 })
      usage.eventCount = Number(rows[0]?.[0] ?? 0)
      usage.month = month
      if (isAllStored && usage.lastRow === lastRow) usage.isOutdated = false
    } catch {
      // The health check reports that the store is unavailable; the next count tries again.
    }
  }

  /** Counts a project at its first request, and then in every interval in which it received events. */
  const getUsage = (projectId: number): ProjectUsage => {
    let usage = projects.get(projectId)
    if (usage === undefined) {
      usage = { month: null, eventCount: 0, lastRow: 0, isOutdated: true, warnedMonth: null }
      projects.set(projectId, usage)
      void count(projectId, usage)
    }
    return usage
  }

  let timer: NodeJS.Timeout
  const countAll = async (): Promise<void> => {
    for (const [projectId, usage] of projects) if (usage.isOutdated) await count(projectId, usage)
    if (!isStopped) timer = setTimeout(() => void countAll(), COUNT_INTERVAL_MS)
  }
  let isStopped = false
  timer = setTimeout(() => void countAll(), COUNT_INTERVAL_MS)

  return {
    isExceeded({ id, eventQuota }, now) {
      if (eventQuota === null) return false
      const usage = getUsage(id)
      const month = startOfMonth(now)
      if (usage.month !== month || usage.eventCount < eventQuota) return false
      if (usage.warnedMonth !== month) {
        usage.warnedMonth = month
        onWarning(
          `Project ${id} has used up its quota of ${eventQuota} events a month (${usage.eventCount} are stored). ` +
            `New events are rejected until ${toIsoDate(startOfNextMonth(month))}, or until "waymark-service project quota" ` +
            'raises the quota; historical migrations are still accepted.',
        )
      }
      return true
    },
    recordRow({ id, eventQuota }, inboxRow) {
      if (eventQuota === null) return
      const usage = getUsage(id)
      usage.lastRow = Math.max(usage.lastRow, inboxRow)
      usage.isOutdated = true
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** The start of a time's calendar month in UTC. All times in milliseconds since 1970. */
const startOfMonth = (time: number): number => {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

const startOfNextMonth = (month: number): number => {
  const date = new Date(month)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

const toIsoDate = (time: number): string => new Date(time).toISOString().slice(0, 10)
