import { expect, test } from 'vitest'
import { decodeText, encodeText } from '../../../../../src/service/store/metadata/postgres/text-codec.ts'

test.each(['', 'a', '\0', 'a\0b\0', '\uE000', '\uE0000', '\uE0001', '\0\uE000\0', '😀'])(
  'stores %j without U+0000, and reads it again',
  (text) => {
    const stored = encodeText(text)
    expect(stored).not.toContain('\0')
    expect(decodeText(stored)).toBe(text)
  },
)
