import type { CharSet } from '../../../../evaluate/operators/pattern/char-set.ts'
import { parsePattern } from '../../../../evaluate/operators/pattern/parse-pattern.ts'
import type { PatternNode } from '../../../../evaluate/operators/pattern/pattern-node.ts'

/** A regular expression for DuckDB (RE2), in ASCII. */
export interface WrittenPattern {
  readonly pattern: string
  /** Whether it contains a word boundary, which RE2 only finds between ASCII characters. */
  readonly hasBoundary: boolean
}

/** Thrown for a pattern that DuckDB cannot search for. The message continues "the pattern". */
export class UnwritablePatternError extends Error {}

/** RE2 allows no more repetitions, those of nested repetitions multiplied. */
const MAX_REPETITIONS = 1_000

const DIGITS = '\\p{Nd}'
/** The characters of `\w`. RE2 has no property Alphabetic; these are its categories, and its members in others. */
const WORD_CHARS =
  '\\p{L}\\p{Nl}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}'
const SPACES = '\\s\\x{b}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}'
const NOT_SPACES =
  '\\x{80}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}'

/** By bit of `CharSet.nonAsciiClasses`, but for `\W`. The ASCII members of a class are in the set's ranges, too. */
const CLASSES: readonly string[] = [DIGITS, WORD_CHARS, SPACES, '\\P{Nd}', '', NOT_SPACES]
const NOT_WORD = 1 << 4

const writeChar = (code: number): string => `\\x{${code.toString(16)}}`

const writeSet = ({ bounds, nonAsciiClasses, isNegated }: CharSet): string => {
  let members = ''
  for (let index = 0; index < bounds.length; index += 2)
    members += `${writeChar(bounds[index]!)}-${writeChar(bounds[index + 1]!)}`
  for (const [bit, written] of CLASSES.entries()) if ((nonAsciiClasses >> bit) & 1) members += written
  if ((nonAsciiClasses & NOT_WORD) === 0) {
    if (members === '') return isNegated ? '(?s:.)' : '[^\\x{0}-\\x{10ffff}]'
    return `[${isNegated ? '^' : ''}${members}]`
  }
  // A class cannot contain the complement of another one. `\W` alone is that complement; its ASCII ranges are in it.
  if (!isNegated) return `(?:[${members}]|[^${WORD_CHARS}])`
  if (nonAsciiClasses === NOT_WORD && isSameAsWord(bounds)) return `[${WORD_CHARS}]`
  throw new UnwritablePatternError('uses \\W in a negated class with other characters')
}

/** Whether the ASCII part of a set that contains `\W` is only that of `\W`. */
const isSameAsWord = (bounds: readonly number[]): boolean => {
  for (let code = 0; code < 128; code++) {
    const isMember = bounds.some((low, index) => index % 2 === 0 && low <= code && code <= bounds[index + 1]!)
    if (isMember === /\w/.test(String.fromCharCode(code))) return false
  }
  return bounds.every((bound) => bound < 128)
}

const ASSERTIONS = { '^': '\\A', $: '\\z', b: '\\b', B: '\\B' } as const

/** Translates a pattern of `evaluate/` to RE2. Throws `UnwritablePatternError`. */
export const writePattern = (source: string): WrittenPattern => {
  let hasBoundary = false
  const write = (node: PatternNode, repetitions: number): string => {
    if (node.kind === 'char') return writeSet(node.set)
    if (node.kind === 'assert') {
      hasBoundary ||= node.assertion === 'b' || node.assertion === 'B'
      return ASSERTIONS[node.assertion]
    }
    if (node.kind === 'sequence') return node.nodes.map((child) => write(child, repetitions)).join('')
    if (node.kind === 'alternation') return `(?:${node.nodes.map((child) => write(child, repetitions)).join('|')})`
    const { min, max } = node
    const total = repetitions * Math.max(1, max === Infinity ? min : max)
    if (total > MAX_REPETITIONS)
      throw new UnwritablePatternError(`repeats something more than ${MAX_REPETITIONS} times`)
    return `(?:${write(node.node, total)}){${min},${max === Infinity ? '' : max}}`
  }
  return { pattern: write(parsePattern(source), 1), hasBoundary }
}
