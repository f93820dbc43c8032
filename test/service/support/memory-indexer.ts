import type { Indexer } from '../../../src/service/indexer/indexer.ts'
import { askWith, createQuestionMethods } from '../../../src/service/insight/question/questions.ts'
import type {
  AnswerOf,
  AskAny,
  QuestionMethods,
  QuestionName,
} from '../../../src/service/insight/question/questions.ts'

/** The answers of a store without events to the questions of lists. */
const EMPTY_ANSWERS = {
  eventNames: [],
  propertyNames: [],
  events: { events: [], hasMore: false },
  actors: { actors: [], hasMore: false, missingCount: 0 },
} satisfies { readonly [Name in QuestionName]?: AnswerOf<Name> }

const answerNothing: AskAny = (name) =>
  Object.hasOwn(EMPTY_ANSWERS, name)
    ? Promise.resolve(EMPTY_ANSWERS[name as keyof typeof EMPTY_ANSWERS] as never)
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
    status: () => ({
      alive: failure === null,
      isBeingReplaced: false,
      moving: null,
      notice: null,
      position,
      failure,
      rejected: 0,
    }),
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
