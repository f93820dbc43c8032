import * as Type from 'typebox'
import { getProject } from '../auth/request-access.ts'
import { DraftError } from '../draft/draft-error.ts'
import type { SelectDraft } from '../draft/draft-select.ts'
import { draftSelect } from '../draft/draft-select.ts'
import { readProjectNames } from '../draft/read-project-names.ts'
import { createLeaveSignal } from '../http/leave-signal.ts'
import { badRequest } from '../http-error.ts'
import { QueryError } from '../indexer/query-error.ts'
import type { Queries } from '../query/queries.ts'
import { createSqlWork } from '../query/query-work.ts'
import { ApiErrorSchema } from '../schema/api-error.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { Api } from './api.ts'
import { toQueryHttpError } from './query-http-error.ts'

/** Dependencies of drafts. */
export interface QueryDraftOptions {
  /** The names of the project are read by a query like any other: it waits for a slot, and ends when the client leaves. */
  readonly queries: Pick<Queries, 'run'>
  /** Rows of the answer to SQL. */
  readonly maxRows: number
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
export const addQueryDraft = (api: Api, { queries, maxRows, now }: QueryDraftOptions): void => {
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
      const projectId = getProject(request).project.id
      const left = createLeaveSignal(reply)
      try {
        const names = await readProjectNames(async (sql) => ({
          rows: (await queries.run({ projectId, work: createSqlWork(sql, maxRows), id: null, name: null }, left)).answer
            .results,
        }))
        return draftSelect(question, names, now())
      } catch (error) {
        if (error instanceof DraftError) throw badRequest('question_not_understood', error.message, 'question', error)
        if (error instanceof QueryError) throw toQueryHttpError(error)
        throw error
      }
    },
  )
}
