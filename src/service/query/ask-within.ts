import type { Indexer } from '../indexer/indexer.ts'
import type { QueryControl } from '../indexer/query-control.ts'
import type { Ask } from '../insight/question/questions.ts'

/** Whom the questions of a query are asked. */
export interface AskWithinOptions {
  readonly indexer: Pick<Indexer, 'ask'>
  readonly projectId: number
  readonly control: QueryControl
}

/** Creates a function that asks questions, all of which together have `timeoutMs` milliseconds from now. */
export const askWithin = (timeoutMs: number, { indexer, projectId, control }: AskWithinOptions): Ask => {
  const deadline = performance.now() + timeoutMs
  return (name, question) => {
    const remainingMs = Math.max(1, Math.ceil(deadline - performance.now()))
    return indexer.ask(projectId, name, { ...question, timeoutMs: remainingMs }, control)
  }
}
