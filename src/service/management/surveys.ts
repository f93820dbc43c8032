import { randomUUID } from 'node:crypto'
import { notFound } from '../refusal.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findSurvey, FLAG_FIELDS, pageOfSurveys, removeSurvey, saveSurvey } from '../store/metadata/surveys.ts'
import type { NewSurvey, StoredSurvey } from '../store/metadata/surveys.ts'
import { parseSurvey } from '../survey/parse-survey.ts'
import type { SurveyLists } from '../survey/survey-lists.ts'
import { changeStored, checkVersion, definitionBody, patched } from './change.ts'
import { linkedFlag } from './linked-flag.ts'
import type { Resource } from './resource.ts'

/** What the management of surveys stands on. */
export interface SurveysParts {
  readonly metadata: Metadata
  /** Told of every change, so that pages get it at once. */
  readonly surveyLists: Pick<SurveyLists, 'changed'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const existingSurvey = async (metadata: Metadata, projectId: number, id: string): Promise<StoredSurvey> => {
  const survey = await findSurvey(metadata, projectId, id.toLowerCase())
  if (survey) return survey
  throw notFound(`There is no survey ${id} in this project.`)
}

/** Surveys: what people are asked, where and when, with id, version and moments as flags have them. */
export const createSurveys = ({ metadata, surveyLists, now }: SurveysParts): Resource => {
  const change = async <Result>(
    projectId: number,
    run: (transaction: Metadata) => Promise<Result>,
  ): Promise<Result> => {
    const result = await changeStored(metadata, run)
    surveyLists.changed(projectId)
    return result
  }
  const save = async (transaction: Metadata, projectId: number, id: string, survey: NewSurvey): Promise<object> => {
    for (const field of FLAG_FIELDS) {
      const flagId = survey[field]
      if (flagId !== undefined && flagId !== null) await linkedFlag(transaction, projectId, flagId, field)
    }
    await saveSurvey(transaction, projectId, id, survey, now())
    return definitionBody(await existingSurvey(transaction, projectId, id))
  }
  return {
    path: 'surveys',
    scope: 'survey',
    list: async (projectId, page) => {
      const { count, items } = await pageOfSurveys(metadata, projectId, page)
      return { count, items: items.map(definitionBody) }
    },
    items: {
      read: async (projectId, id) => definitionBody(await existingSurvey(metadata, projectId, id)),
      create: (projectId, body) =>
        change(projectId, (transaction) => save(transaction, projectId, randomUUID(), parseSurvey(body, randomUUID))),
      update: (projectId, id, body) =>
        change(projectId, async (transaction) => {
          const stored = await existingSurvey(transaction, projectId, id)
          checkVersion(stored, body)
          return save(transaction, projectId, stored.id, parseSurvey(patched(stored, body), randomUUID))
        }),
      remove: (projectId, id) =>
        change(projectId, async (transaction) => {
          const { id: found } = await existingSurvey(transaction, projectId, id)
          await removeSurvey(transaction, found)
        }),
    },
  }
}
