import type { EdgeLimits, PathEdge } from '../question/paths.ts'

/** The names of the two ends of an edge in the protocol: `1_/home`, `2_/prices`. */
export const toStepNames = ({ step, source, target }: Pick<PathEdge, 'step' | 'source' | 'target'>) => ({
  source: `${step}_${source}`,
  target: `${step + 1}_${target}`,
})

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The edges within the limits: the most frequent ones first, then by name. */
export const rankEdges = (
  edges: Iterable<PathEdge>,
  { limit, minCount, maxCount }: EdgeLimits,
): readonly PathEdge[] => {
  const frequent = [...edges]
    .filter(({ count }) => count >= minCount && count <= maxCount)
    .toSorted((a, b) => b.count - a.count)
  // Names only for those that may be among the answered ones.
  const least = frequent[limit - 1]?.count ?? 0
  return frequent
    .filter(({ count }) => count >= least)
    .map((edge) => ({ edge, names: toStepNames(edge) }))
    .toSorted(
      (a, b) =>
        b.edge.count - a.edge.count ||
        compareTexts(a.names.source, b.names.source) ||
        compareTexts(a.names.target, b.names.target),
    )
    .slice(0, limit)
    .map(({ edge }) => edge)
}
