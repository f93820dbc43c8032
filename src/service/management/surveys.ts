import { randomUUID } from 'node:crypto'
import { notFound } from '../http-error.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findSurvey, FLAG_FIELDS, listSurveysPage, removeSurvey, saveSurvey } from '../store/metadata/surveys.ts'
import type { NewSurvey, StoredSurvey } from '../store/metadata/surveys.ts'
import { parseSurvey } from '../survey/parse-survey.ts'
import type { SurveyCache } from '../survey/survey-cache.ts'
import { SURVEY_SHAPE } from '../survey/survey-shape.ts'
import { checkSentBody, withWarnings } from './check-sent-body.ts'
import { runChange, checkVersion, toDefinitionBody, applyPatch } from './change.ts'
import { getLinkedFlag } from './get-linked-flag.ts'
import type { ChangeRequest, Resource } from './resource.ts'
import { SurveyChange, SurveyInput, SurveySchema } from './schema/survey.ts'

/** Dependencies of the survey resource. */
export interface SurveysOptions {
  readonly metadata: Metadata
  /** Invalidated after every change, so that pages get it at once. */
  readonly surveyCache: Pick<SurveyCache, 'invalidate'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const getSurvey = async (metadata: Metadata, projectId: number, id: string): Promise<StoredSurvey> => {
  const survey = await findSurvey(metadata, projectId, id.toLowerCase())
  if (survey) return survey
  throw notFound(`This project has no survey with the id ${id}. GET the list to see all ids.`)
}

const SENT = { noun: 'a survey', shape: SURVEY_SHAPE, isKept: true } as const

/** Surveys: questions, and where and when to ask them, with id, version and timestamps as for flags. */
export const createSurveys = ({ metadata, surveyCache, now }: SurveysOptions): Resource => {
  const change = async <Result>(
    request: ChangeRequest,
    run: (transaction: Metadata) => Promise<Result>,
  ): Promise<Result> => {
    const result = await runChange(request, run)
    surveyCache.invalidate(request.projectId)
    return result
  }
  const save = async (transaction: Metadata, projectId: number, id: string, survey: NewSurvey): Promise<object> => {
    for (const field of FLAG_FIELDS) {
      const flagId = survey[field]
      if (flagId !== undefined && flagId !== null) await getLinkedFlag(transaction, projectId, flagId, field)
    }
    await saveSurvey(transaction, projectId, id, survey, now())
    return toDefinitionBody(await getSurvey(transaction, projectId, id))
  }
  return {
    path: 'surveys',
    scope: 'survey',
    description: {
      noun: 'survey',
      id: 'Id of the survey.',
      item: SurveySchema,
      create: SurveyInput,
      change: SurveyChange,
    },
    list: async (projectId, page) => {
      const { count, items } = await listSurveysPage(metadata, projectId, page)
      return { count, items: items.map(toDefinitionBody) }
    },
    items: {
      read: async (projectId, id) => toDefinitionBody(await getSurvey(metadata, projectId, id)),
      create: (request, body) =>
        change(request, async (transaction) => {
          const warnings = checkSentBody(body, SENT)
          const survey = parseSurvey(body, randomUUID)
          return withWarnings(await save(transaction, request.projectId, randomUUID(), survey), warnings)
        }),
      update: (request, id, body) =>
        change(request, async (transaction) => {
          const { projectId } = request
          const stored = await getSurvey(transaction, projectId, id)
          checkVersion(stored, body)
          const warnings = checkSentBody(body, { ...SENT, stored: applyPatch(stored, {}) })
          const survey = parseSurvey(applyPatch(stored, body), randomUUID)
          return withWarnings(await save(transaction, projectId, stored.id, survey), warnings)
        }),
      remove: (request, id) =>
        change(request, async (transaction) => {
          const survey = await getSurvey(transaction, request.projectId, id)
          await removeSurvey(transaction, survey.id)
        }),
    },
  }
}
