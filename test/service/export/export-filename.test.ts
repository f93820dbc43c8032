import { describe, expect, it } from 'vitest'
import { createFilename } from '../../../src/service/export/export-filename.ts'
import { createSheetNames } from '../../../src/service/export/format/sheet-names.ts'

const CSV = { extension: 'csv' }

describe('the name of an exported file', () => {
  it.each([
    ['report\u202Efdp', 'reportfdp.csv'],
    ['\u2066a\u2069\u200E\u200F\u061C.csv\u202C', 'a.csv'],
    ['a\u200Bb\uFEFFc\u00ADd\u2060e\u3164f\u{E0041}', 'abcdef.csv'],
    ['a\u0085b\u2028c\x00d', 'a-b-c-d.csv'],
    ['half \uD83D', 'half.csv'],
    ['Umsätze 売上 גרף 😀', 'Umsätze 売上 גרף 😀.csv'],
    ['\u202E\u200B', 'export-query.csv'],
  ])('has only characters that are seen: %j', (chosen, name) => {
    expect(createFilename(chosen, null, CSV)).toBe(name)
  })

  it('is made of the title without invisible characters', () => {
    expect(createFilename(null, 'Views\u202E per\u3164 day', CSV)).toBe('export-views-per-day.csv')
  })

  it('is like the names of sheets', () => {
    expect(createSheetNames()('Views\u202E per day\u200B')).toBe('Views per day')
  })
})
