import type { Indexer } from '../../../src/service/indexer/indexer.ts'

/** An indexer whose position, failure and query results a test sets. */
export const createMemoryIndexer = (
  query: Indexer['query'] = () => Promise.resolve({ columns: [], types: [], rows: [], hasMore: false }),
): Indexer & { moveTo(position: number): void; fail(reason: string | null): void; readonly wakes: number } => {
  let position = 0
  let failure: string | null = null
  let wakes = 0
  return {
    wake: () => {
      wakes++
    },
    query,
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
