import type { Work } from '../../work-in-chunks.ts'
import type { PathsQuestion } from '../question/paths.ts'
import type { CountedEdge } from './edge-table.ts'
import { createEdgeTable } from './edge-table.ts'
import { rankEdges } from './rank-edges.ts'
import type { WalkedPath } from './walk-paths.ts'

/** Counts the edges of paths. */
export interface PathCounter {
  readonly addPath: (path: WalkedPath) => void
  /** Number of different edges. */
  readonly size: () => number
  /** The edges that are answered; the items are numbered in the order of their bytes. */
  readonly rank: () => Work<readonly CountedEdge[]>
}

export const createPathCounter = ({ edges: limits }: Pick<PathsQuestion, 'edges'>): PathCounter => {
  const edges = createEdgeTable()
  return {
    addPath({ items, times, first, last }) {
      for (let place = first; place < last; place++)
        edges.add(place - first + 1, items[place]!, items[place + 1]!, times[place + 1]! - times[place]!)
    },
    size: edges.size,
    rank: () => rankEdges(edges, limits),
  }
}
