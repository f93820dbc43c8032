import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMarkdown } from '../../../../../src/service/export/picture/markdown/parse-markdown.ts'
import { measureCpuMs } from '../../../../support/cpu-time.ts'

/** The spans of a text of one line: `B` is before a bold one, `>` before a link. */
const spansOf = (line: string): readonly string[] =>
  parseMarkdown(line)[0]!.spans.map(({ text, isBold, isLink }) => `${isBold ? 'B' : ''}${isLink ? '>' : ''}${text}`)

describe('parseMarkdown', () => {
  it.each<[string, readonly string[]]>([
    ['text', ['text']],
    ['', []],
    ['a **b** c', ['a ', 'Bb', ' c']],
    ['__b__', ['Bb']],
    ['[a](https://x.example/?a=1)', ['>a']],
    ['**[a](/b) c**', ['B>a', 'B c']],
    ['[**a**](/b)', ['B>a']],
    ['snake__case__name', ['snake__case__name']],
    ['2 ** 3 ** 4', ['2 ** 3 ** 4']],
    ['**not closed', ['**not closed']],
    ['[not](closed', ['[not](closed']],
    ['a [b] (c)', ['a [b] (c)']],
    ['\\*\\*a\\*\\*', ['*', '*', 'a', '*', '*']],
    ['*a* `b` <b>c</b>', ['*a* `b` <b>c</b>']],
  ])('finds the parts of %j', (line, spans) => {
    expect(spansOf(line)).toEqual(spans)
  })

  it('knows headings and lists', () => {
    const text = '# Title\n###### Small\n#none\n- a\n  * b\n\t+ c\n12) d\n-e\n'
    expect(parseMarkdown(text).map(({ level, marker, depth }) => [level, marker, depth])).toEqual([
      [1, null, 0],
      [6, null, 0],
      [0, null, 0],
      [0, '•', 0],
      [0, '•', 1],
      [0, '•', 1],
      [0, '12.', 0],
      [0, null, 0],
      [0, null, 0],
    ])
    expect(spansOf('# A **b** [c](/d)')).toEqual(['BA ', 'Bb', 'B ', 'B>c'])
  })

  it('loses no letter of a text without signs', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(spansOf(words.join(' '))).toEqual([words.join(' ')])
      }),
    )
  })

  it.each(['**a', '__a', '[a](b', '[[', '# ', '\\'])('takes little time for many of %j', (part) => {
    const text = part.repeat(20_000 / part.length)
    expect(measureCpuMs(() => parseMarkdown(text))).toBeLessThan(500)
  })
})
