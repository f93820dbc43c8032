import { QueryError } from '../../indexer/query-error.ts'
import type { Work } from '../../work-in-chunks.ts'
import type { PathsPoint } from '../question/actors.ts'
import type { PathNode, PathsAnswer, PathsQuestion } from '../question/paths.ts'
import { createPathCounter } from './count-paths.ts'
import type { CountedEdge } from './edge-table.ts'
import type { WalkedPath } from './walk-paths.ts'

/** The number of an item; `NO_ITEM` if no event has it. */
export type NumberOf = (item: string) => number

/** Computes something from the paths of all actors, in which items are numbers. */
export interface PathCollector<Answer> {
  /** Whether it reads the ids of actors. */
  readonly readsActors: boolean
  /** Items whose numbers it needs, beside the start and the end of paths. */
  readonly items: readonly string[]
  /** Called before the first path. */
  readonly begin: (numberOf: NumberOf) => void
  /** @param readActor Reads the id of the path's actor. */
  readonly add: (path: WalkedPath, readActor: () => string) => void
  /** Called after the last path. Returns the numbers of the items whose texts the answer has. */
  readonly end: () => Work<readonly number[]>
  readonly answer: (textOf: (number: number) => string) => Answer
}

/** Most different edges: each takes up to 54 bytes. */
const MAX_EDGES = 6_000_000

/** Most actors of a point: each id takes about 100 bytes. */
const MAX_ACTORS = 1_000_000

/** Counts the edges of a question. */
export const createEdgeCollector = (question: PathsQuestion): PathCollector<PathsAnswer> => {
  const counter = createPathCounter(question)
  let edges: readonly CountedEdge[] = []
  return {
    readsActors: false,
    items: [],
    begin: () => undefined,
    add(path) {
      counter.addPath(path)
      if (counter.size() > MAX_EDGES)
        throw new QueryError(
          'memory',
          `The paths have more than ${MAX_EDGES} different steps. Join similar items with "pathGroupings" or "pathReplacements", ` +
            'or ask for a shorter time.',
        )
    },
    *end() {
      edges = yield* counter.rank()
      return edges.flatMap(({ source, target }) => [source, target])
    },
    answer: (textOf) => ({
      edges: edges.map(({ step, source, target, count, totalMs }) => ({
        step,
        source: textOf(source),
        target: textOf(target),
        count,
        averageMs: totalMs / count,
      })),
    }),
  }
}

/** Finds the ids of the actors of a point. */
export const createActorFinder = ({ from, to, last: end }: PathsPoint): PathCollector<readonly string[]> => {
  const found = new Set<string>()
  let hasNodes: (path: WalkedPath) => boolean = () => true
  return {
    readsActors: true,
    items: [from, to, end].flatMap((node) => node?.item ?? []),
    begin(numberOf) {
      const createTest = (node: PathNode | null, endsBefore: number): ((path: WalkedPath) => boolean) => {
        if (node === null) return () => true
        const number = numberOf(node.item)
        return ({ items, first, last }) => {
          const place = first + node.step - 1
          return place <= last - endsBefore && items[place] === number
        }
      }
      const isFrom = createTest(from, 1)
      const isTo = createTest(to, 0)
      const isEnd = createTest(end, 0)
      hasNodes = (path) =>
        isFrom(path) && isTo(path) && isEnd(path) && (end === null || path.last === path.first + end.step - 1)
    },
    add(path, readActor) {
      if (!hasNodes(path)) return
      found.add(readActor())
      if (found.size > MAX_ACTORS)
        throw new QueryError(
          'memory',
          `The paths have more than ${MAX_ACTORS} persons or groups. Ask for a shorter range of dates.`,
        )
    },
    *end() {
      yield
      return []
    },
    answer: () => [...found],
  }
}
