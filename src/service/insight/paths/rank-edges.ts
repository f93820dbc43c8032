import type { Work } from '../../work-in-chunks.ts'
import { ROWS_PER_YIELD } from '../../work-in-chunks.ts'
import type { EdgeLimits } from '../question/paths.ts'
import type { CountedEdge, EdgeTable } from './edge-table.ts'

/** Least number of edges in memory beside the best ones, so that they are sorted rarely. */
const MIN_SPARE = 1024

/** The edges within the limits: the most frequent ones first, then by name. The items are numbered in the order of their bytes. */
export const rankEdges = function* (
  edges: EdgeTable,
  { limit, minCount, maxCount }: EdgeLimits,
): Work<readonly CountedEdge[]> {
  const maxCandidates = limit + Math.max(limit, MIN_SPARE)
  let candidates: CountedEdge[] = []
  /** The last of the best edges so far; null if there are fewer than the limit. */
  let worst: CountedEdge | null = null
  for (let slot = 0; slot < edges.capacity(); slot++) {
    if (slot % ROWS_PER_YIELD === ROWS_PER_YIELD - 1) yield
    const count = edges.countAt(slot)
    if (count === 0 || count < minCount || count > maxCount || (worst !== null && count < worst.count)) continue
    const edge = edges.edgeAt(slot)
    if (worst !== null && compareEdges(edge, worst) > 0) continue
    candidates.push(edge)
    if (candidates.length < maxCandidates) continue
    candidates = candidates.toSorted(compareEdges).slice(0, limit)
    worst = candidates.at(-1)!
  }
  return candidates.toSorted(compareEdges).slice(0, limit)
}

const compareEdges = (a: CountedEdge, b: CountedEdge): number =>
  b.count - a.count || compareSteps(a.step, b.step) || a.source - b.source || a.target - b.target

/** The order of the texts that names begin with: `10_` is before `1_`, and `1_` before `2_`. */
const compareSteps = (a: number, b: number): number => {
  if (a === b) return 0
  return `${a}_` < `${b}_` ? -1 : 1
}
