import { loadFlags } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { listSurveys } from '../store/metadata/surveys.ts'
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
  /** Milliseconds since 1970. */
  readonly now: () => number
}

interface CachedSurveys {
  readonly listJson: string
  readonly hasSurveys: boolean
}

/** Every page requests the list, but starts, ends and flag keys rarely change. */
const CACHE_TTL_MS = 10_000

/** Creates a cache of surveys, so that most requests of pages cost no query. */
export const createSurveyCache = ({ metadata, now }: SurveyCacheParts): SurveyCache => {
  const cache = new Map<number, { readonly surveys: Promise<CachedSurveys>; readonly readAt: number }>()

  const read = async (projectId: number, at: number): Promise<CachedSurveys> => {
    const stored = (await listSurveys(metadata, projectId)).filter(({ definition }) => !definition.archived)
    const flags = stored.length === 0 ? [] : await loadFlags(metadata, projectId)
    const flagKeys = new Map(flags.map(({ id, definition }) => [id, definition.key]))
    const surveys = stored.map((survey) => toPublicSurvey(survey, flagKeys, at))
    return {
      listJson: JSON.stringify({ surveys, survey_config: null }),
      hasSurveys: stored.some((survey) => isRunning(survey, at)),
    }
  }
  const get = async (projectId: number): Promise<CachedSurveys> => {
    const at = now()
    const cached = cache.get(projectId)
    // The absolute difference, because the clock may have been set back.
    if (cached && Math.abs(at - cached.readAt) < CACHE_TTL_MS) return cached.surveys
    const surveys = read(projectId, at)
    const entry = { surveys, readAt: at }
    cache.set(projectId, entry)
    surveys.catch(() => {
      if (cache.get(projectId) === entry) cache.delete(projectId)
    })
    return surveys
  }
  return {
    listJson: async (projectId) => (await get(projectId)).listJson,
    hasSurveys: async (projectId) => (await get(projectId)).hasSurveys,
    invalidate: (projectId) => void cache.delete(projectId),
  }
}
