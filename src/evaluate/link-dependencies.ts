/** Longest chain of flags that is evaluated for one value: more is a mistake, or an attack on memory. */
const MAX_CHAIN = 100

/**
 * Puts flags in the order in which they can be evaluated.
 *
 * @param dependencies Flag key to the keys of the flags that it asks for itself.
 * @returns Flag key to all that is to be evaluated for it, leafmost first, itself last. No entry for a flag on a circle or
 *   behind one, nor for one that needs more than 100 flags. Keys that are no flags are passed over.
 */
export const linkDependencies = (
  dependencies: ReadonlyMap<string, Iterable<string>>,
): ReadonlyMap<string, readonly string[]> => {
  const needs = new Map<string, Set<string>>()
  const neededBy = new Map<string, string[]>()
  const ready: string[] = []
  for (const [key, given] of dependencies) {
    const known = new Set([...given].filter((need) => dependencies.has(need)))
    needs.set(key, known)
    if (known.size === 0) ready.push(key)
    for (const need of known) {
      const others = neededBy.get(need)
      if (others) others.push(key)
      else neededBy.set(need, [key])
    }
  }
  // Each flag comes up when the last of those it needs has; flags on a circle never do.
  const waiting = new Map([...needs].map(([key, { size }]) => [key, size]))
  const chains = new Map<string, readonly string[]>()
  for (let at = 0; at < ready.length; at++) {
    const key = ready[at]!
    const chain = new Set<string>()
    for (const need of needs.get(key)!) for (const link of chains.get(need)!) chain.add(link)
    if (chain.size >= MAX_CHAIN) continue
    chains.set(key, [...chain, key])
    for (const other of neededBy.get(key) ?? []) {
      const left = waiting.get(other)! - 1
      waiting.set(other, left)
      if (left === 0) ready.push(other)
    }
  }
  return chains
}
