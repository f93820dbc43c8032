import { loadFlags } from '../store/metadata/flags.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { listSurveys } from '../store/metadata/surveys.ts'
import { isRunning, offeredSurvey } from './offered-survey.ts'

/** The surveys of projects as pages are told of them. */
export interface SurveyLists {
  /** The body of `GET /api/surveys/`, JSON: what is not archived. */
  readonly list: (projectId: number) => Promise<string>
  /** True while a survey of the project runs. */
  readonly hasSurveys: (projectId: number) => Promise<boolean>
  /** To be called after a change of the project's surveys, so that it is told at once. */
  readonly changed: (projectId: number) => void
}

/** What the lists stand on. */
export interface SurveyListsParts {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
}

interface Told {
  readonly list: string
  readonly hasSurveys: boolean
}

/** How long a list is told without another look: every page asks for it, and starts, ends and keys of flags change seldom. */
const BELIEVED_MS = 10_000

/** Keeps the lists of surveys, so that what pages ask for costs no query. */
export const createSurveyLists = ({ metadata, now }: SurveyListsParts): SurveyLists => {
  const kept = new Map<number, { readonly told: Promise<Told>; readonly readAt: number }>()

  const read = async (projectId: number, at: number): Promise<Told> => {
    const stored = (await listSurveys(metadata, projectId)).filter(({ given }) => !given.archived)
    const flags = stored.length === 0 ? [] : await loadFlags(metadata, projectId)
    const flagKeys = new Map(flags.map(({ id, given }) => [id, given.key]))
    const surveys = stored.map((survey) => offeredSurvey(survey, flagKeys, at))
    return {
      list: JSON.stringify({ surveys, survey_config: null }),
      hasSurveys: stored.some((survey) => isRunning(survey, at)),
    }
  }
  const look = async (projectId: number): Promise<Told> => {
    const at = now()
    const known = kept.get(projectId)
    // Not older than that, and not from a future that a clock set back has left.
    if (known && Math.abs(at - known.readAt) < BELIEVED_MS) return known.told
    const told = read(projectId, at)
    const entry = { told, readAt: at }
    kept.set(projectId, entry)
    told.catch(() => {
      if (kept.get(projectId) === entry) kept.delete(projectId)
    })
    return told
  }
  return {
    list: async (projectId) => (await look(projectId)).list,
    hasSurveys: async (projectId) => (await look(projectId)).hasSurveys,
    changed: (projectId) => void kept.delete(projectId),
  }
}
