import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern } from '../../../../src/evaluate/operators/pattern/compile-pattern.ts'
import { measureCpuMs } from '../../../support/cpu-time.ts'

const search = (pattern: string, input: string): boolean => {
  const compiled = compilePattern(pattern)
  if ('reason' in compiled) throw new Error(`${pattern}: ${compiled.reason}`)
  const result = compiled.test(input)
  if (result === undefined) throw new Error(`${pattern}: a string of ${input.length} is too long`)
  return result
}

/** Maximum length of a string for a program size. */
const getMaxLength = (programSize: number): number => Math.min(4_096, Math.floor(524_288 / programSize))

describe('compilePattern', () => {
  it.each([
    ['', ''],
    ['a|b', 'xb'],
    ['^(?:ab)+$', 'ababab'],
    ['^a{2,3}$', 'aaa'],
    ['^a{2}$', 'aa'],
    ['^a{2,}?$', 'aaaa'],
    ['[^a-c\\d]', 'a1d'],
    ['^[\\w.-]+@acme\\.com$', 'jane.doe-1@acme.com'],
    ['^[.\\w-]+$', 'a-b'],
    ['^[a-z-\\d]+$', 'a-1'],
    ['^a(?:)()b$', 'ab'],
    ['^(|a)*$', 'aa'],
    ['\\bcat\\b', 'a cat.'],
    ['^.$', '😀'],
    ['(a*)*$', 'b'],
    ['^(|a)b', 'ab'],
    ['[]a]|x'.slice(4), 'x'],
    ['^\\w\\d\\s$', 'é\u0663\u00a0'],
    ['^[\\W]$', '€'],
    ['^[^\\w]$', '€'],
    ['\\x41\\x7e', 'A~'],
    ['\\/\\-\\_', '/-_'],
    ['a}]', 'a}]'],
  ])('%s is found in %j', (pattern, input) => {
    expect(search(pattern, input)).toBe(true)
  })

  it.each([
    ['^a{2,3}$', 'aaaa'],
    ['\\bcat\\b', 'concat'],
    ['a.b', 'a\nb'],
    ['^b', 'a\nb'],
    ['\\.com$', 'a.com\n'],
    ['\\W', 'é'],
    ['[^\\w]', 'é'],
    ['[^\\S]', 'é'],
  ])('%s is not found in %j', (pattern, input) => {
    expect(search(pattern, input)).toBe(false)
  })

  it.each([
    ['[', 'has a class without an end'],
    ['(', 'has a group without an end'],
    [')', 'has a ) without a ('],
    ['a)', 'has a ) without a ('],
    ['?*', 'repeats nothing'],
    ['*', 'repeats nothing'],
    ['a|*', 'repeats nothing'],
    ['()*', 'repeats an empty group'],
    ['a(?:){2}', 'repeats an empty group'],
    ['(?:(?:))*', 'repeats an empty group'],
    ['(()(?:))?', 'repeats an empty group'],
    ['a{2,1}', 'has a repetition whose maximum is below its minimum'],
    ['[b-a]', 'has a range whose end is before its beginning'],
    ['[\\w-.]', 'has a range that begins or ends with a class, such as \\w'],
    ['[.-\\w]', 'has a range that begins or ends with a class, such as \\w'],
    ['[^a-\\D]', 'has a range that begins or ends with a class, such as \\w'],
    ['[\\s-\\w]', 'has a range that begins or ends with a class, such as \\w'],
    ['a\\', 'ends with a backslash'],
  ])('%s is an invalid pattern: it %s', (pattern, reason) => {
    expect(compilePattern(pattern)).toEqual({ kind: 'invalid', reason })
  })

  it.each([
    '(?=a)',
    '(?<!a)b',
    '(?i)a',
    '(?<name>a)',
    '(a)\\1',
    '\\<a\\>',
    '\\é',
    '\\x4',
    'a{99999}',
    'a{2}{3}',
    '\\p{L}',
    'a**',
    'a++',
    '^*',
    '[[:alpha:]]',
    '[]a]',
    '[a&&b]',
    '[a--]',
    '[+--]',
    '[--a]',
    '[a-z--b]',
    '[\\w--a]',
    '{',
    'a{,2}',
    '((a{50}){50}){50}',
    '(((a{0}){1000}){1000}){1000}',
    'a'.repeat(1_001),
  ])('%s is unsupported and has a reason', (pattern) => {
    expect(compilePattern(pattern)).toEqual({ kind: 'unsupported', reason: expect.any(String) })
  })

  it.each([
    ['nested repetitions', '^(a+)+$', 'a'],
    ['overlapping alternatives', '^(a|a|aa)*b', 'a'],
    ['many repetitions in a row', `${'a*'.repeat(330)}b`, 'a'],
    ['many optional parts', `^${'a?'.repeat(200)}${'a'.repeat(200)}b`, 'a'],
    ['wildcards in a row', `${'.*'.repeat(300)}x`, 'a'],
    ['nested counted repetitions', '^((a{0,7}){0,7}){0,7}b', 'a'],
    ['a long class, many times', `^[${'0-9é-ÿb-y'.repeat(40)}a]{900}b`, 'a'],
    ['all alternatives at every position', `(${'a*|'.repeat(190)}b)*c`, 'a'],
    ['classes of Unicode', '^(\\w|\\S|[^\\s])*\\d$', 'é'],
  ])('is fast where backtracking takes exponential time: %s', (_name, pattern, char) => {
    const compiled = compilePattern(pattern)
    if ('reason' in compiled) throw new Error(compiled.reason)
    const input = `${char.repeat(getMaxLength(compiled.programSize) - 1)}!`
    // About 2 ms; backtracking would take hours.
    expect(measureCpuMs(() => expect(compiled.test(input)).toBe(false))).toBeLessThan(500)
    expect(compiled.test(`${input}!`)).toBeUndefined()
  })

  it('returns the same result after other searches and with a full cache', () => {
    const input = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'é', 'я', '😀', ' ', '1', 'bbbb'), { maxLength: 200 })
      .map((parts) => parts.join(''))
    for (const source of [
      '[ab]*a[ab]{12}b',
      '(a|é|я| )*a(\\B.){9}\\b',
      '^(.[ab])*[^a]1$',
      '(😀|.a){6}b',
      '\\w\\W\\w{5}',
    ]) {
      const compiled = compilePattern(source)
      if ('reason' in compiled) throw new Error(compiled.reason)
      // Word characters beyond ASCII need lookaround, because the built-in classes are ASCII only.
      const word = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]'
      const edge = `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
      const inner = `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`
      const expected = new RegExp(
        source
          .replaceAll('\\w', word)
          .replaceAll('\\W', word.replace('[', '[^'))
          .replaceAll('\\b', edge)
          .replaceAll('\\B', inner)
          .replaceAll(/(?<!\[\^?[^\]]*)\./gu, '[^\\n]'),
        'u',
      )
      fc.assert(
        fc.property(input, (value) => {
          expect([value, compiled.test(value)]).toEqual([value, expected.test(value)])
        }),
        { numRuns: 400 },
      )
    }
  })

  it('agrees with the built-in engine', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\b', '^', '$', '1')
    const quantified = fc.tuple(
      fc.constantFrom('a', 'b', '.', '[^b]', '(?:ab|b)', '(a|)', '(?:a*b)'),
      fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?'),
    )
    const pattern = fc
      .array(
        fc.oneof(
          atom,
          quantified.map((parts) => parts.join('')),
          fc.constant('|'),
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n'), maxLength: 8 }),
        (source, input) => {
          expect(search(source, input)).toBe(new RegExp(source).test(input))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
