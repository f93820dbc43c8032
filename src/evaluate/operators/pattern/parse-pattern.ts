import { hasOwn } from '../../own-property.ts'
import { complementOf, unionOf, CLASSES, rangeOf } from './char-set.ts'
import type { CharSet } from './char-set.ts'
import { InvalidPatternError, UnsupportedPatternError } from './pattern-node.ts'
import type { PatternNode } from './pattern-node.ts'

const CONTROL_CHARS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v' }

const codeOf = (char: string): number => char.codePointAt(0)!
const singleCharSet = (char: string): CharSet => rangeOf(codeOf(char), codeOf(char))

/** Characters that a backslash makes literal. Not `<` and `>`: in some dialects `\<` and `\>` are word boundaries. */
const isPunctuation = (char: string): boolean => /^[ -;=?@[-`{-~]$/.test(char) && !/[0-9]/.test(char)

/** Maximum pattern length in code points. It limits the nesting depth too. */
const MAX_PATTERN_LENGTH = 1_000

/**
 * Parses the part of the pattern language that all dialects share: characters, `.`, classes, `\d \w \s \b`, anchors,
 * groups, alternatives and quantifiers.
 *
 * @throws InvalidPatternError, UnsupportedPatternError
 */
export const parsePattern = (source: string): PatternNode => {
  // Code points, as in a regular expression. Not `Array.from`, which MooTools replaces in pages.
  // oxlint-disable-next-line typescript/no-misused-spread
  const chars = [...source]
  if (chars.length > MAX_PATTERN_LENGTH)
    throw new UnsupportedPatternError(`is longer than ${MAX_PATTERN_LENGTH} characters`)
  let position = 0

  const parseEscape = (): CharSet | string => {
    const char = chars[position++]
    if (char === undefined) throw new InvalidPatternError('ends with a backslash')
    if (hasOwn(CLASSES, char)) return CLASSES[char]!
    if (hasOwn(CONTROL_CHARS, char)) return CONTROL_CHARS[char]!
    if (char === 'x' && /^[\da-f]{2}$/i.test(chars.slice(position, position + 2).join('')))
      return String.fromCharCode(parseInt(chars[position++]! + chars[position++]!, 16))
    if (!isPunctuation(char)) throw new UnsupportedPatternError(`uses \\${char}`)
    return char
  }

  const parseClassItem = (): CharSet | string => {
    const char = chars[position++]
    if (char === undefined) throw new InvalidPatternError('has a class without an end')
    if (char === '[') throw new UnsupportedPatternError('has a class inside a class')
    if ('&-~'.includes(char) && chars[position] === char)
      throw new UnsupportedPatternError(`uses ${char}${char} in a class`)
    return char === '\\' ? parseEscape() : char
  }

  const parseClass = (): PatternNode => {
    const isNegated = chars[position] === '^'
    if (isNegated) position++
    if (chars[position] === ']') throw new UnsupportedPatternError('begins a class with ]')
    const sets: CharSet[] = []
    while (chars[position] !== ']') {
      const low = parseClassItem()
      if (chars[position] === '-' && chars[position + 1] === '-')
        throw new UnsupportedPatternError('uses -- in a class')
      const isRange = chars[position] === '-' && chars[position + 1] !== ']'
      if (!isRange) {
        sets.push(typeof low === 'string' ? singleCharSet(low) : low)
        continue
      }
      position++
      const high = parseClassItem()
      if (typeof low !== 'string' || typeof high !== 'string')
        throw new InvalidPatternError('has a range that begins or ends with a class, such as \\w')
      if (codeOf(high) < codeOf(low)) throw new InvalidPatternError('has a range whose end is before its beginning')
      sets.push(rangeOf(codeOf(low), codeOf(high)))
    }
    position++
    return { kind: 'char', set: isNegated ? complementOf(unionOf(sets)) : unionOf(sets) }
  }

  const parseGroup = (): PatternNode => {
    if (chars[position] === '?') {
      if (chars[position + 1] !== ':') throw new UnsupportedPatternError('uses lookaround, flags or a named group')
      position += 2
    }
    const node = parseAlternation()
    if (chars[position++] !== ')') throw new InvalidPatternError('has a group without an end')
    return node
  }

  const parseAtom = (): PatternNode => {
    const char = chars[position++]!
    if (char === '(') return parseGroup()
    if (char === '[') return parseClass()
    if (char === '.') return { kind: 'char', set: complementOf(singleCharSet('\n')) }
    if (char === '^' || char === '$') return { kind: 'assert', assertion: char }
    if (char === '*' || char === '+' || char === '?') throw new InvalidPatternError('repeats nothing')
    if (char === '{') throw new UnsupportedPatternError('uses { as a literal character')
    if (char !== '\\') return { kind: 'char', set: singleCharSet(char) }
    const next = chars[position]
    if (next === 'b' || next === 'B') {
      position++
      return { kind: 'assert', assertion: next }
    }
    const set = parseEscape()
    return { kind: 'char', set: typeof set === 'string' ? singleCharSet(set) : set }
  }

  const parseQuantifier = (): readonly [min: number, max: number] | undefined => {
    const char = chars[position]
    if (char === '*' || char === '+' || char === '?') {
      position++
      return [char === '+' ? 1 : 0, char === '?' ? 1 : Infinity]
    }
    if (char !== '{') return undefined
    const match = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(chars.slice(position, position + 11).join(''))
    if (!match) throw new UnsupportedPatternError('uses { as a literal character')
    position += match[0].length
    const min = Number(match[1])
    const max = match[2] === undefined ? min : match[3] === '' ? Infinity : Number(match[3])
    if (max < min) throw new InvalidPatternError('has a repetition whose maximum is below its minimum')
    return [min, max]
  }

  const parseSequence = (): PatternNode => {
    const nodes: PatternNode[] = []
    while (position < chars.length && chars[position] !== '|' && chars[position] !== ')') {
      const node = parseAtom()
      const counts = parseQuantifier()
      // A group of empty groups is empty too.
      const isEmpty = node.kind === 'sequence' && node.nodes.length === 0
      if (!counts) {
        if (!isEmpty) nodes.push(node)
        continue
      }
      if (node.kind === 'assert') throw new UnsupportedPatternError('repeats an anchor')
      if (isEmpty) throw new InvalidPatternError('repeats an empty group')
      // Lazy and greedy quantifiers match the same strings.
      if (chars[position] === '?') position++
      if (chars[position] !== undefined && '*+?'.includes(chars[position]!))
        throw new UnsupportedPatternError('repeats a repetition')
      nodes.push({ kind: 'repeat', node, min: counts[0], max: counts[1] })
    }
    return { kind: 'sequence', nodes }
  }

  const parseAlternation = (): PatternNode => {
    const nodes = [parseSequence()]
    while (chars[position] === '|') {
      position++
      nodes.push(parseSequence())
    }
    return nodes.length === 1 ? nodes[0]! : { kind: 'alternation', nodes }
  }

  const node = parseAlternation()
  if (position < chars.length) throw new InvalidPatternError('has a ) without a (')
  return node
}
