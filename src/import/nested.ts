import type { Json, JsonObject } from '../wire/json.ts'

interface Tree {
  [key: string]: Json | Tree
}

/**
 * The object that dotted names stand for: `$set.email` is the `email` inside `$set`. Where something else stands in the way, the dot belongs
 * to the name. Keys that count from 0 without a gap make an array, as flattened exports have them.
 *
 * @param values Shorter paths first.
 */
export const nested = (values: readonly (readonly [path: readonly string[], value: Json])[]): JsonObject => {
  const root = emptyTree()
  const trees = new Set<unknown>([root])
  for (const [path, value] of values) {
    let tree = root
    let at = 0
    for (; at < path.length - 1; at++) {
      const next = (tree[path[at]!] ??= emptyTree(trees))
      if (!trees.has(next)) break
      tree = next as Tree
    }
    tree[path.slice(at).join('.')] = value
  }
  return Object.fromEntries(Object.entries(root).map(([key, value]) => [key, withArrays(value, trees)]))
}

/** Without a prototype: a column may be called `__proto__`. */
const emptyTree = (trees?: Set<unknown>): Tree => {
  const tree: Tree = Object.create(null)
  trees?.add(tree)
  return tree
}

const withArrays = (value: Json | Tree, trees: ReadonlySet<unknown>): Json => {
  if (!trees.has(value)) return value
  const entries = Object.entries(value as Tree).map(([key, inner]) => [key, withArrays(inner, trees)] as const)
  // An object's keys that are whole numbers come first, and in order.
  return entries.every(([key], at) => key === String(at))
    ? entries.map(([, inner]) => inner)
    : Object.fromEntries(entries)
}
