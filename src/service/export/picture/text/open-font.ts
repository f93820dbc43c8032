import { create } from 'fontkitten'
import { readFileSync } from 'node:fs'
import type { Font } from './font.ts'

/** Reads a TrueType or OpenType font. Throws when the file is something else. */
export const openFont = (file: string): Font => {
  const font = create(readFileSync(file))
  if (font.isCollection) throw new Error('it holds several fonts')
  const advances = new Map<number, number>()
  return {
    // Where both names exist, the preferred one is of the whole family, and the other one of one weight.
    family: font.getName('preferredFamily') ?? font.familyName,
    weight: font['OS/2'].usWeightClass,
    file,
    covers: (codePoint) => font.hasGlyphForCodePoint(codePoint),
    advanceOf(codePoint) {
      const stored = advances.get(codePoint)
      if (stored !== undefined) return stored
      const advance = font.glyphForCodePoint(codePoint).advanceWidth / font.unitsPerEm
      advances.set(codePoint, advance)
      return advance
    },
  }
}
