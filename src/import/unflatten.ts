import type { Json, JsonObject } from '../wire/json.ts'

interface Tree {
  [key: string]: Json | Tree
}

/**
 * Builds the object that dotted names describe: `$set.email` is the `email` inside `$set`. If a value already stands at `$set`, the dot
 * belongs to the name. Keys 0, 1, 2 … without a gap become an array, as in flattened exports.
 *
 * @param values Paths with their values, shorter paths first.
 */
export const unflatten = (values: readonly (readonly [path: readonly string[], value: Json])[]): JsonObject => {
  const root = createTree()
  const trees = new Set<unknown>([root])
  for (const [path, value] of values) {
    let tree = root
    let depth = 0
    for (; depth < path.length - 1; depth++) {
      const child = (tree[path[depth]!] ??= createTree(trees))
      if (!trees.has(child)) break
      tree = child as Tree
    }
    tree[path.slice(depth).join('.')] = value
  }
  return Object.fromEntries(Object.entries(root).map(([key, value]) => [key, convertArrays(value, trees)]))
}

/** Without a prototype, because a column may be named `__proto__`. */
const createTree = (trees?: Set<unknown>): Tree => {
  const tree: Tree = Object.create(null)
  trees?.add(tree)
  return tree
}

const convertArrays = (value: Json | Tree, trees: ReadonlySet<unknown>): Json => {
  if (!trees.has(value)) return value
  const entries = Object.entries(value as Tree).map(([key, inner]) => [key, convertArrays(inner, trees)] as const)
  // JavaScript lists integer keys first and in ascending order.
  return entries.every(([key], index) => key === String(index))
    ? entries.map(([, inner]) => inner)
    : Object.fromEntries(entries)
}
