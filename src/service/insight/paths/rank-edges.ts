import type { EdgeLimits, PathEdge } from '../question/paths.ts'
import type { CountedEdge, EdgeTable } from './edge-table.ts'

/** The names of the two ends of an edge in the protocol: `1_/home`, `2_/prices`. */
export const toStepNames = ({ step, source, target }: Pick<PathEdge, 'step' | 'source' | 'target'>) => ({
  source: `${step}_${source}`,
  target: `${step + 1}_${target}`,
})

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/**
 * The edges within the limits: the most frequent ones first, then by name.
 *
 * @param toPathEdge Names the items of an edge.
 */
export const rankEdges = (
  edges: EdgeTable,
  toPathEdge: (edge: CountedEdge) => PathEdge,
  { limit, minCount, maxCount }: EdgeLimits,
): readonly PathEdge[] => {
  // Names only for the edges that may be among the answered ones.
  const counts = edges.counts().filter((count) => count >= minCount && count <= maxCount)
  const least = counts.toSorted().at(-limit) ?? minCount
  return edges
    .list(least, maxCount)
    .map((counted) => {
      const edge = toPathEdge(counted)
      return { edge, names: toStepNames(edge) }
    })
    .toSorted(
      (a, b) =>
        b.edge.count - a.edge.count ||
        compareTexts(a.names.source, b.names.source) ||
        compareTexts(a.names.target, b.names.target),
    )
    .slice(0, limit)
    .map(({ edge }) => edge)
}
