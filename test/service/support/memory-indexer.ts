import type { Indexer } from '../../../src/service/indexer/indexer.ts'
import { askWith, createQuestionMethods } from '../../../src/service/insight/question/questions.ts'
import type { AskAny, QuestionMethods } from '../../../src/service/insight/question/questions.ts'

/** Answers as a store without events does; only the questions that lists ask. */
const answerNothing: AskAny = (name) =>
  name === 'eventNames' || name === 'propertyNames'
    ? Promise.resolve([] as never)
    : Promise.reject(new Error(`Unexpected question: ${name}`))

/**
 * An indexer whose position, failure and answers a test sets.
 *
 * @param methods Answer other questions than SQL. Default: lists are empty.
 */
export const createMemoryIndexer = (
  query: Indexer['query'] = () => Promise.resolve({ columns: [], types: [], rows: [], hasMore: false }),
  methods: QuestionMethods = createQuestionMethods(answerNothing),
): Indexer & { moveTo(position: number): void; fail(reason: string | null): void; readonly wakes: number } => {
  let position = 0
  let failure: string | null = null
  let wakes = 0
  return {
    wake: () => {
      wakes++
    },
    query,
    ask: (projectId, name, question, control) =>
      askWith({ ...methods, query: (sql, itsControl) => query({ projectId, ...sql }, itsControl) })(
        name,
        question,
        control,
      ),
    status: () => ({ alive: failure === null, isBeingReplaced: false, position, failure, rejected: 0 }),
    stop: () => Promise.resolve(),
    moveTo: (to) => {
      position = to
    },
    fail: (reason) => {
      failure = reason
    },
    get wakes() {
      return wakes
    },
  }
}
