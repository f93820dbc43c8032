import * as Type from 'typebox'
import type { DraftDialect } from '../draft/draft-dialect.ts'
import { DraftError } from '../draft/draft-error.ts'
import type { SelectDraft } from '../draft/draft-select.ts'
import { draftSelect } from '../draft/draft-select.ts'
import { readProjectNames } from '../draft/read-project-names.ts'
import { badRequest } from '../http-error.ts'
import { ApiErrorSchema } from '../schema/api-error.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { Api } from './api.ts'
import type { AskStore } from './ask-store.ts'

/** Dependencies of drafts. */
export interface QueryDraftOptions {
  /** Reads the names of the project. */
  readonly askStore: AskStore
  /** That of the event stores. */
  readonly draftDialect: DraftDialect
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Longest question, in characters. */
const MAX_QUESTION_LENGTH = 1_000

const EMPTY_DRAFT: SelectDraft = {
  sql: '',
  explanation:
    'Ask with the parameter "question", such as: How many persons did "bought" per week in the last 90 days by plan?',
}

const QuestionParam = (description: string) =>
  Type.Optional(Type.String({ maxLength: MAX_QUESTION_LENGTH, description }))

/** Adds the route that drafts a SELECT from a question. */
export const addQueryDraft = (api: Api, { askStore, draftDialect, now }: QueryDraftOptions): void => {
  api.get(
    '/query/draft_sql/',
    {
      config: { access: { kind: 'personalKey', scope: 'query:read' } },
      schema: {
        operationId: 'query_draft_sql_retrieve',
        summary: 'Drafts a SELECT from a question in English, with the names that the project has',
        tags: ['query'],
        params: Type.Object(ProjectParams),
        querystring: Type.Object({
          question: QuestionParam('Such as `How many persons did "bought" per week in the last 90 days by plan?`.'),
          prompt: QuestionParam('The same, under the name that other clients use.'),
        }),
        response: {
          200: Type.Object(
            {
              sql: Type.String({ description: 'One SELECT; empty without a question.' }),
              explanation: Type.String({
                description: 'What it returns, and which names of the question were corrected.',
              }),
            },
            { description: 'The draft.' },
          ),
          504: refTo(ApiErrorSchema, { description: 'Reading the names of the project took too long.' }),
        },
      },
    },
    async (request, reply) => {
      const question = (request.query.question ?? request.query.prompt ?? '').trim()
      if (question === '') return EMPTY_DRAFT
      const names = await readProjectNames((name, asked) => askStore(request, reply, name, asked))
      try {
        return draftSelect(question, names, now(), draftDialect)
      } catch (error) {
        if (error instanceof DraftError) throw badRequest('question_not_understood', error.message, 'question', error)
        throw error
      }
    },
  )
}
