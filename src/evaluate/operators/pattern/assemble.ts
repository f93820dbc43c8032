import type { CharSet } from './char-set.ts'
import { UnsupportedPattern } from './pattern-node.ts'
import type { Assertion, PatternNode } from './pattern-node.ts'

/** What an instruction does: the two low bits of its first cell. What it does it with are the bits above. */
export const CHAR = 0
export const ASSERT = 1
export const FORK = 2
const FOUND = 3

/** An assertion is its place here, in the cells. */
const ASSERTIONS: readonly Assertion[] = ['^', '$', 'b', 'B']

/**
 * A pattern as a machine (Thompson, CACM 11:6, 1968). Its instructions lie behind each other in `cells`, and are known by the
 * place of their first cell: a set to read a character of or an assertion, each with the place of what follows; a fork with
 * the places of its arms; the end.
 */
export interface Program {
  readonly cells: Int32Array
  readonly start: number
  readonly sets: readonly CharSet[]
  /** Whether it asks for word boundaries. */
  readonly hasBoundary: boolean
  /** Whether no set lists characters beyond ASCII: those of the same classes are all the same to it. */
  readonly isAscii: boolean
}

/** Most cells of one pattern. A character takes two; an alternative one; a repetition three, and as often as it is counted what it repeats. */
export const MAX_CELLS = 2_500

/** Throws `UnsupportedPattern`. */
export const assemble = (root: PatternNode): Program => {
  const cells: number[] = []
  const sets: CharSet[] = []
  const numbers = new Map<CharSet, number>()
  let visits = 0
  let hasBoundary = false

  const push = (...added: readonly number[]): number => {
    const place = cells.length
    if (cells.push(...added) > MAX_CELLS) throw new UnsupportedPattern('is too large')
    return place
  }
  const numberOf = (set: CharSet): number => {
    const number = numbers.get(set) ?? sets.push(set) - 1
    numbers.set(set, number)
    return number
  }
  /** From the end on, so that the place of what follows is known; returns the place to enter at. */
  const emit = (node: PatternNode, next: number): number => {
    // What is empty can be repeated without a cell.
    if (++visits > MAX_CELLS * 4) throw new UnsupportedPattern('is too large')
    if (node.kind === 'char') return push(numberOf(node.set) * 4 + CHAR, next)
    if (node.kind === 'assert') {
      hasBoundary ||= node.assertion === 'b' || node.assertion === 'B'
      return push(ASSERTIONS.indexOf(node.assertion) * 4 + ASSERT, next)
    }
    if (node.kind === 'sequence') return node.nodes.reduceRight((entry, each) => emit(each, entry), next)
    if (node.kind === 'either') {
      const arms = node.nodes.map((branch) => emit(branch, next))
      return push(arms.length * 4 + FORK, ...arms)
    }
    let entry = next
    if (node.max === Infinity) {
      entry = push(2 * 4 + FORK, next, next)
      cells[entry + 1] = emit(node.node, entry)
    } else
      for (let count = node.min; count < node.max; count++) {
        // Leaving one optional part leaves all that follow it: from any of them the search goes on at the same place.
        const body = emit(node.node, entry)
        entry = push(2 * 4 + FORK, body, next)
      }
    for (let count = 0; count < node.min; count++) entry = emit(node.node, entry)
    return entry
  }

  const start = emit(root, push(FOUND))
  const isAscii = sets.every(({ bounds }) => (bounds[bounds.length - 1] ?? 0) < 128)
  return { cells: Int32Array.from(cells), start, sets, hasBoundary, isAscii }
}
