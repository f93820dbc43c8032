import type { CharSet } from '../../../../evaluate/operators/pattern/char-set.ts'
import { parsePattern } from '../../../../evaluate/operators/pattern/parse-pattern.ts'
import type { PatternNode } from '../../../../evaluate/operators/pattern/pattern-node.ts'

/** Regular expressions for DuckDB (RE2), in ASCII. */
export interface WrittenPattern {
  /** Finds the pattern in a string; with word boundaries only if the string is ASCII. */
  readonly pattern: string
  /** Finds the pattern in a string that `MARK_WORDS` has marked. Undefined for a pattern without word boundaries. */
  readonly markedPattern: string | undefined
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
const WORD = 1 << 1
const NOT_DIGIT = 1 << 3
const NOT_WORD = 1 << 4

const writeChar = (code: number): string => `\\x{${code.toString(16)}}`

const writeRanges = (bounds: readonly number[]): string => {
  let ranges = ''
  for (let index = 0; index < bounds.length; index += 2)
    ranges += `${writeChar(bounds[index]!)}-${writeChar(bounds[index + 1]!)}`
  return ranges
}

/** Writes the classes of a set, but for `\W`. */
const writeClasses = (nonAsciiClasses: number): string =>
  CLASSES.filter((_, bit) => ((nonAsciiClasses >> bit) & 1) === 1).join('')

const writeSet = ({ bounds, nonAsciiClasses, isNegated }: CharSet): string => {
  const members = writeRanges(bounds) + writeClasses(nonAsciiClasses)
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

/**
 * Marks each word character, of any script, for a pattern with word boundaries: `é` becomes `_é_`. RE2 only knows boundaries of
 * ASCII words; with the marks they are where the boundaries of all words are. Arguments of `regexp_replace`.
 */
export const MARK_WORDS: readonly [pattern: string, replacement: string, options: string] = [
  `([${WORD_CHARS}])`,
  '_\\1_',
  'g',
]

/** The characters of a marked string before the match: marked ones and others. */
const MARKED_START = '\\A(?s:[^_]|_._)*?'

const UNDERSCORE = '_'.charCodeAt(0)

/** Removes the underscore, which is only a mark in a marked string. */
const withoutMark = (bounds: readonly number[]): readonly number[] => {
  const index = bounds.findIndex((low, at) => at % 2 === 0 && low <= UNDERSCORE && UNDERSCORE <= bounds[at + 1]!)
  if (index < 0) return bounds
  const [low, high] = [bounds[index]!, bounds[index + 1]!]
  const parts = [low, UNDERSCORE - 1, UNDERSCORE + 1, high]
  const kept = [...(low < UNDERSCORE ? parts.slice(0, 2) : []), ...(high > UNDERSCORE ? parts.slice(2) : [])]
  return [...bounds.slice(0, index), ...kept, ...bounds.slice(index + 2)]
}

/** The members of a set that are not word characters, and so have no marks; undefined for none. */
const writeUnmarked = ({ bounds, nonAsciiClasses, isNegated }: CharSet): string | undefined => {
  if (isNegated) {
    // `[^\W]`: only word characters. Other sets with `\W` were refused.
    if ((nonAsciiClasses & NOT_WORD) !== 0) return undefined
    return `[^_${writeRanges(bounds)}${writeClasses(nonAsciiClasses)}]`
  }
  const members = writeRanges(withoutMark(bounds)) + writeClasses(nonAsciiClasses & ~(NOT_DIGIT | WORD))
  return [
    ...(members === '' ? [] : [`[${members}]`]),
    ...((nonAsciiClasses & NOT_DIGIT) === 0 ? [] : [`[^_${DIGITS}]`]),
    ...((nonAsciiClasses & NOT_WORD) === 0 ? [] : [`[^${WORD_CHARS}]`]),
  ].join('|')
}

/** Writes a set for a marked string. */
const writeMarkedSet = (set: CharSet): string => {
  const unmarked = writeUnmarked(set)
  return unmarked ? `(?:_${writeSet(set)}_|${unmarked})` : `_${writeSet(set)}_`
}

const ASSERTIONS = { '^': '\\A', $: '\\z', b: '\\b', B: '\\B' } as const

type WriteSet = (set: CharSet) => string

const writeNode = (node: PatternNode, write: WriteSet, repetitions: number): string => {
  if (node.kind === 'char') return write(node.set)
  if (node.kind === 'assert') return ASSERTIONS[node.assertion]
  if (node.kind === 'sequence') return node.nodes.map((child) => writeNode(child, write, repetitions)).join('')
  if (node.kind === 'alternation')
    return `(?:${node.nodes.map((child) => writeNode(child, write, repetitions)).join('|')})`
  const { min, max } = node
  const total = repetitions * Math.max(1, max === Infinity ? min : max)
  if (total > MAX_REPETITIONS) throw new UnwritablePatternError(`repeats something more than ${MAX_REPETITIONS} times`)
  return `(?:${writeNode(node.node, write, total)}){${min},${max === Infinity ? '' : max}}`
}

const hasBoundary = (node: PatternNode): boolean => {
  if (node.kind === 'assert') return node.assertion === 'b' || node.assertion === 'B'
  if (node.kind === 'repeat') return hasBoundary(node.node)
  return node.kind !== 'char' && node.nodes.some(hasBoundary)
}

/** Translates a pattern of `evaluate/` to RE2. Throws `UnwritablePatternError`. */
export const writePattern = (source: string): WrittenPattern => {
  const root = parsePattern(source)
  return {
    pattern: writeNode(root, writeSet, 1),
    markedPattern: hasBoundary(root) ? `${MARKED_START}(?:${writeNode(root, writeMarkedSet, 1)})` : undefined,
  }
}
