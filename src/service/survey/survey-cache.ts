import { loadFlags } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { WatchChanges } from '../store/metadata/watch-changes.ts'
import { listSurveys } from '../store/metadata/surveys.ts'
import { createReadCache } from '../read-cache.ts'
import { isRunning, toPublicSurvey } from './public-survey.ts'

/** The surveys of projects, in the form that clients read. */
export interface SurveyCache {
  /** The body of `GET /api/surveys/`, as JSON; without archived surveys. */
  readonly listJson: (projectId: number) => Promise<string>
  /** Whether a survey of the project is running. */
  readonly hasSurveys: (projectId: number) => Promise<boolean>
  /** Call this after a change of the project's surveys, so that clients get it at once. */
  readonly invalidate: (projectId: number) => void
}

/** Dependencies of the cache. */
export interface SurveyCacheParts {
  readonly metadata: Metadata
  /** Tells of changes by other processes, which are then effective at once. Default: after the time for which surveys are cached. */
  readonly watchChanges?: WatchChanges
  /** Milliseconds since 1970. */
  readonly now: () => number
}

interface CachedSurveys {
  readonly listJson: string
  readonly hasSurveys: boolean
}

/** How long surveys are cached. A start, an end or a changed flag key takes effect after at most this time. */
const CACHE_TTL_MS = 10_000

/** Creates a cache of surveys, so that most requests of pages cost no query. */
export const createSurveyCache = ({ metadata, watchChanges, now }: SurveyCacheParts): SurveyCache => {
  const readSurveys = async (projectId: number, nowMs: number): Promise<CachedSurveys> => {
    const stored = (await listSurveys(metadata, projectId)).filter(({ definition }) => !definition.archived)
    const flags = stored.length === 0 ? [] : await loadFlags(metadata, projectId)
    const flagKeys = new Map(flags.map(({ id, definition }) => [id, definition.key]))
    const surveys = stored.map((survey) => toPublicSurvey(survey, flagKeys, nowMs))
    return {
      listJson: JSON.stringify({ surveys, survey_config: null }),
      hasSurveys: stored.some((survey) => isRunning(survey, nowMs)),
    }
  }
  const cache = createReadCache({ read: readSurveys, ttlMs: CACHE_TTL_MS })
  const getSurveys = async (projectId: number): Promise<CachedSurveys> => (await cache.get(projectId, now()))!
  const invalidate = (changedId: number | null): void =>
    cache.expire((projectId) => changedId === null || projectId === changedId)
  watchChanges?.(invalidate)
  return {
    listJson: async (projectId) => (await getSurveys(projectId)).listJson,
    hasSurveys: async (projectId) => (await getSurveys(projectId)).hasSurveys,
    invalidate,
  }
}
