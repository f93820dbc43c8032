import type { CharSet } from './char-set.ts'
import { UnsupportedPatternError } from './pattern-node.ts'
import type { Assertion, PatternNode } from './pattern-node.ts'

// Operations: the two low bits of an instruction's first cell. The bits above are the operation's argument.
export const CHAR = 0
export const ASSERT = 1
export const SPLIT = 2
const MATCH = 3

/** The argument of ASSERT is an index into this list. */
const ASSERTIONS: readonly Assertion[] = ['^', '$', 'b', 'B']

/**
 * A pattern as the program of a virtual machine (Thompson, CACM 11:6, 1968). Instructions follow each other in `cells` and are
 * addressed by the index of their first cell. CHAR and ASSERT have the address of the next instruction, SPLIT has the addresses of
 * its branches.
 */
export interface Program {
  readonly cells: Int32Array
  readonly start: number
  readonly sets: readonly CharSet[]
  /** Whether it contains a word boundary. */
  readonly hasBoundary: boolean
  /** Whether no set lists single characters beyond ASCII: then all characters of the same Unicode classes behave the same. */
  readonly isAscii: boolean
}

/**
 * Maximum cells of one pattern. A character takes two cells, an alternative one and each optional repetition three. A counted
 * repetition contains the repeated node as often as its count says.
 */
export const MAX_CELLS = 2_500

/** Translates a parsed pattern into a program. Throws `UnsupportedPatternError` for a program above `MAX_CELLS`. */
export const assemble = (root: PatternNode): Program => {
  const cells: number[] = []
  const sets: CharSet[] = []
  const setIndexes = new Map<CharSet, number>()
  let visits = 0
  let hasBoundary = false

  const push = (...newCells: readonly number[]): number => {
    const address = cells.length
    if (cells.push(...newCells) > MAX_CELLS) throw new UnsupportedPatternError('is too large')
    return address
  }
  const getSetIndex = (set: CharSet): number => {
    const index = setIndexes.get(set) ?? sets.push(set) - 1
    setIndexes.set(set, index)
    return index
  }
  /** Emits backwards, so that the address of the next instruction is known. Returns the address to enter at. */
  const emit = (node: PatternNode, next: number): number => {
    // Repeating an empty pattern adds no cells, so visits are limited too.
    if (++visits > MAX_CELLS * 4) throw new UnsupportedPatternError('is too large')
    if (node.kind === 'char') return push(getSetIndex(node.set) * 4 + CHAR, next)
    if (node.kind === 'assert') {
      hasBoundary ||= node.assertion === 'b' || node.assertion === 'B'
      return push(ASSERTIONS.indexOf(node.assertion) * 4 + ASSERT, next)
    }
    if (node.kind === 'sequence') return node.nodes.reduceRight((entry, child) => emit(child, entry), next)
    if (node.kind === 'alternation') {
      const branches = node.nodes.map((branch) => emit(branch, next))
      return push(branches.length * 4 + SPLIT, ...branches)
    }
    let entry = next
    if (node.max === Infinity) {
      entry = push(2 * 4 + SPLIT, next, next)
      cells[entry + 1] = emit(node.node, entry)
    } else
      for (let count = node.min; count < node.max; count++) {
        // Skipping one optional repetition skips all later ones: each of them continues at the same address.
        const body = emit(node.node, entry)
        entry = push(2 * 4 + SPLIT, body, next)
      }
    for (let count = 0; count < node.min; count++) entry = emit(node.node, entry)
    return entry
  }

  const start = emit(root, push(MATCH))
  const isAscii = sets.every(({ bounds }) => (bounds[bounds.length - 1] ?? 0) < 128)
  return { cells: Int32Array.from(cells), start, sets, hasBoundary, isAscii }
}
