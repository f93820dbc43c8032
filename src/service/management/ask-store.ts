import type { FastifyReply, FastifyRequest } from 'fastify'
import { getProject } from '../auth/request-access.ts'
import { createLeaveSignal } from '../http/leave-signal.ts'
import { QueryError } from '../indexer/query-error.ts'
import type { AnswerOf, QuestionName, QuestionOf } from '../insight/question/questions.ts'
import type { Queries } from '../query/queries.ts'
import type { QueryWork } from '../query/query-work.ts'
import { toQueryHttpError } from './query-http-error.ts'

/** Asks the event store for a request: it waits among the queries of its project, and ends when the client leaves. Rejects with `HttpError`. */
export type AskStore = <Name extends QuestionName>(
  request: FastifyRequest,
  reply: FastifyReply,
  name: Name,
  question: QuestionOf<Name>,
) => Promise<AnswerOf<Name>>

export const createAskStore =
  (queries: Pick<Queries, 'run'>): AskStore =>
  async <Name extends QuestionName>(
    request: FastifyRequest,
    reply: FastifyReply,
    name: Name,
    question: QuestionOf<Name>,
  ) => {
    const work: QueryWork<{ readonly found: AnswerOf<Name> }> = {
      text: `${name} ${JSON.stringify(question)}`,
      answer: async (ask) => ({ found: await ask(name, question) }),
    }
    try {
      const projectId = getProject(request).project.id
      const { answer } = await queries.run({ projectId, work, id: null, name: null }, createLeaveSignal(reply))
      return answer.found
    } catch (error) {
      throw error instanceof QueryError ? toQueryHttpError(error) : error
    }
  }
