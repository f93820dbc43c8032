/** Maximum flags evaluated for one value. A flag that needs more is a mistake in the definitions, or an attack on memory. */
const MAX_FLAGS = 100

/**
 * Sorts flags topologically, so that each can be evaluated after its dependencies.
 *
 * @param dependencies Flag key to the keys of its direct dependencies.
 * @returns Flag key to all keys to evaluate for it, dependencies first, the flag itself last. No entry for a flag in a cycle,
 *   one that depends on a cycle, or one that needs more than 100 flags. Dependencies that are not flags are ignored.
 */
export const orderDependencies = (
  dependencies: ReadonlyMap<string, Iterable<string>>,
): ReadonlyMap<string, readonly string[]> => {
  const dependenciesOf = new Map<string, Set<string>>()
  const dependantsOf = new Map<string, string[]>()
  const readyKeys: string[] = []
  for (const [key, directDependencies] of dependencies) {
    const existingDependencies = new Set([...directDependencies].filter((dependency) => dependencies.has(dependency)))
    dependenciesOf.set(key, existingDependencies)
    if (existingDependencies.size === 0) readyKeys.push(key)
    for (const dependency of existingDependencies) {
      const dependants = dependantsOf.get(dependency)
      if (dependants) dependants.push(key)
      else dependantsOf.set(dependency, [key])
    }
  }
  // A flag becomes ready after its last dependency; flags in a cycle never do.
  const pendingCounts = new Map([...dependenciesOf].map(([key, { size }]) => [key, size]))
  const orders = new Map<string, readonly string[]>()
  for (let index = 0; index < readyKeys.length; index++) {
    const key = readyKeys[index]!
    const order = new Set<string>()
    for (const dependency of dependenciesOf.get(key)!)
      for (const orderedKey of orders.get(dependency)!) order.add(orderedKey)
    if (order.size >= MAX_FLAGS) continue
    orders.set(key, [...order, key])
    for (const dependant of dependantsOf.get(key) ?? []) {
      const pendingCount = pendingCounts.get(dependant)! - 1
      pendingCounts.set(dependant, pendingCount)
      if (pendingCount === 0) readyKeys.push(dependant)
    }
  }
  return orders
}
