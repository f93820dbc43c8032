/** Shapes that the tree keeps. A project that sends more starts again with an empty tree. */
const MAX_NODES = 50_000

/** The beginning of a shape (`SplitProperties.shape`): the numbers of its first members. */
export interface ShapeNode {
  readonly shape: string
  readonly children: Map<number, ShapeNode>
  /** The child that was asked for last, and its number: members follow one another as in the event before. */
  lastNumber: number
  lastChild: ShapeNode | null
}

/** The shapes that occurred, member by member: a shape is found without a string being built for each event. */
export interface ShapeTree {
  root(): ShapeNode
  /** The node with one more member. */
  child(node: ShapeNode, number: number): ShapeNode
}

const createNode = (shape: string): ShapeNode => ({ shape, children: new Map(), lastNumber: -1, lastChild: null })

export const createShapeTree = (): ShapeTree => {
  let root = createNode('')
  let nodeCount = 0
  return {
    root() {
      if (nodeCount > MAX_NODES) {
        root = createNode('')
        nodeCount = 0
      }
      return root
    },
    child(node, number) {
      if (node.lastNumber === number) return node.lastChild!
      let child = node.children.get(number)
      if (child === undefined) {
        child = createNode(node.shape === '' ? `{${number}}` : `${node.shape},{${number}}`)
        node.children.set(number, child)
        nodeCount += 1
      }
      node.lastNumber = number
      node.lastChild = child
      return child
    },
  }
}
