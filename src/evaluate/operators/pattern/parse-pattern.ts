import { isOwn } from '../../own.ts'
import { allBut, anyOf, CLASSES, fromTo } from './char-set.ts'
import type { CharSet } from './char-set.ts'
import { InvalidPattern, UnsupportedPattern } from './pattern-node.ts'
import type { PatternNode } from './pattern-node.ts'

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v' }

const codeOf = (char: string): number => char.codePointAt(0)!
const only = (char: string): CharSet => fromTo(codeOf(char), codeOf(char))

/** What may stand behind a backslash for itself: in some dialects `\\<` and `\\>` are the ends of a word. */
const isPunctuation = (char: string): boolean => /^[ -;=?@[-`{-~]$/.test(char) && !/[0-9]/.test(char)

/** Longest pattern, in code points; bounds the depth of nesting too. */
const MAX_LENGTH = 1_000

/**
 * Reads the part of the pattern language that all dialects share: characters, `.`, classes, `\d \w \s \b`, anchors,
 * groups, alternatives and quantifiers.
 *
 * @throws InvalidPattern, UnsupportedPattern
 */
export const parsePattern = (source: string): PatternNode => {
  const chars = Array.from(source)
  if (chars.length > MAX_LENGTH) throw new UnsupportedPattern(`is longer than ${MAX_LENGTH} characters`)
  let at = 0

  const escaped = (): CharSet | string => {
    const char = chars[at++]
    if (char === undefined) throw new InvalidPattern()
    if (isOwn(CLASSES, char)) return CLASSES[char]!
    if (isOwn(controls, char)) return controls[char]!
    if (char === 'x' && /^[\da-f]{2}$/i.test(chars.slice(at, at + 2).join('')))
      return String.fromCharCode(parseInt(chars[at++]! + chars[at++]!, 16))
    if (!isPunctuation(char)) throw new UnsupportedPattern(`uses \\${char}`)
    return char
  }

  const classItem = (): CharSet | string => {
    const char = chars[at++]
    if (char === undefined) throw new InvalidPattern()
    if (char === '[') throw new UnsupportedPattern('has a class inside a class')
    if ('&-~'.includes(char) && chars[at] === char) throw new UnsupportedPattern(`uses ${char}${char} in a class`)
    return char === '\\' ? escaped() : char
  }

  const charClass = (): PatternNode => {
    const excluded = chars[at] === '^'
    if (excluded) at++
    if (chars[at] === ']') throw new UnsupportedPattern('begins a class with ]')
    const sets: CharSet[] = []
    while (chars[at] !== ']') {
      const low = classItem()
      if (chars[at] === '-' && chars[at + 1] === '-') throw new UnsupportedPattern('uses -- in a class')
      if (typeof low !== 'string') sets.push(low)
      else if (chars[at] !== '-' || chars[at + 1] === ']') sets.push(only(low))
      else {
        at++
        const high = classItem()
        if (typeof high !== 'string' || codeOf(high) < codeOf(low)) throw new InvalidPattern()
        sets.push(fromTo(codeOf(low), codeOf(high)))
      }
    }
    at++
    return { kind: 'char', set: excluded ? allBut(anyOf(sets)) : anyOf(sets) }
  }

  const group = (): PatternNode => {
    if (chars[at] === '?') {
      if (chars[at + 1] !== ':') throw new UnsupportedPattern('uses lookaround, flags or a named group')
      at += 2
    }
    const node = either()
    if (chars[at++] !== ')') throw new InvalidPattern()
    return node
  }

  const atom = (): PatternNode => {
    const char = chars[at++]!
    if (char === '(') return group()
    if (char === '[') return charClass()
    if (char === '.') return { kind: 'char', set: allBut(only('\n')) }
    if (char === '^' || char === '$') return { kind: 'assert', assertion: char }
    if (char === '*' || char === '+' || char === '?') throw new InvalidPattern()
    if (char === '{') throw new UnsupportedPattern('uses { as a character')
    if (char !== '\\') return { kind: 'char', set: only(char) }
    const next = chars[at]
    if (next === 'b' || next === 'B') {
      at++
      return { kind: 'assert', assertion: next }
    }
    const set = escaped()
    return { kind: 'char', set: typeof set === 'string' ? only(set) : set }
  }

  const counts = (): readonly [min: number, max: number] | undefined => {
    const char = chars[at]
    if (char === '*' || char === '+' || char === '?') {
      at++
      return [char === '+' ? 1 : 0, char === '?' ? 1 : Infinity]
    }
    if (char !== '{') return undefined
    const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(chars.slice(at, at + 11).join(''))
    if (!found) throw new UnsupportedPattern('uses { as a character')
    at += found[0].length
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] === '' ? Infinity : Number(found[3])
    if (max < min) throw new InvalidPattern()
    return [min, max]
  }

  const sequence = (): PatternNode => {
    const nodes: PatternNode[] = []
    while (at < chars.length && chars[at] !== '|' && chars[at] !== ')') {
      const node = atom()
      const found = counts()
      if (!found) {
        nodes.push(node)
        continue
      }
      if (node.kind === 'assert') throw new UnsupportedPattern('repeats an anchor')
      // Lazy and greedy find the same texts.
      if (chars[at] === '?') at++
      if (chars[at] !== undefined && '*+?'.includes(chars[at]!)) throw new UnsupportedPattern('repeats a repetition')
      nodes.push({ kind: 'repeat', node, min: found[0], max: found[1] })
    }
    return { kind: 'sequence', nodes }
  }

  const either = (): PatternNode => {
    const nodes = [sequence()]
    while (chars[at] === '|') {
      at++
      nodes.push(sequence())
    }
    return nodes.length === 1 ? nodes[0]! : { kind: 'either', nodes }
  }

  const node = either()
  if (at < chars.length) throw new InvalidPattern()
  return node
}
