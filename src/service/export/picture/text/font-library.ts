import type { Font, Weight } from './font.ts'
import { openFont } from './open-font.ts'

/** The fonts that pictures can use. */
export interface FontLibrary {
  /** The first font that has all characters of a cluster; null for none. */
  find(cluster: string, weight: Weight): Font | null
  /** The font that comes with the service. */
  readonly main: Readonly<Record<Weight, Font>>
  /** The files of all fonts that were opened. */
  files(): readonly string[]
}

export interface FontLibraryOptions {
  /** Paths of the font that comes with the service. */
  readonly main: Readonly<Record<Weight, string>>
  /** Paths of further fonts, the preferred ones first. They are opened when a character needs them. */
  readonly further: readonly string[]
  /** Receives a message for a file that is not a font. */
  readonly onWarning: (message: string) => void
}

/** Joiners change the letters beside them, and need no glyph of their own. */
const JOINERS = new Set([0x200c, 0x200d])

const coversAll = (font: Font, cluster: string): boolean => {
  for (const character of cluster) {
    const codePoint = character.codePointAt(0)!
    if (!JOINERS.has(codePoint) && !font.covers(codePoint)) return false
  }
  return true
}

export const createFontLibrary = ({ main, further, onWarning }: FontLibraryOptions): FontLibrary => {
  const fonts = { normal: openFont(main.normal), bold: openFont(main.bold) }
  const preferred = { normal: [fonts.normal], bold: [fonts.bold, fonts.normal] }
  const opened: Font[] = []
  const waiting = [...further]
  const known = { normal: new Map<string, Font | null>(), bold: new Map<string, Font | null>() }

  const openNext = (): Font | null => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      try {
        const font = openFont(file)
        opened.push(font)
        return font
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        onWarning(
          `The font ${file} is not used, because it cannot be read: ${reason}. Fonts must be .ttf or .otf files.`,
        )
      }
    }
    return null
  }

  const search = (cluster: string, weight: Weight): Font | null => {
    const found = [...preferred[weight], ...opened].find((font) => coversAll(font, cluster))
    if (found !== undefined) return found
    for (let font = openNext(); font !== null; font = openNext()) if (coversAll(font, cluster)) return font
    return null
  }

  return {
    find(cluster, weight) {
      const stored = known[weight].get(cluster)
      if (stored !== undefined) return stored
      const font = search(cluster, weight)
      known[weight].set(cluster, font)
      return font
    },
    main: fonts,
    files: () => [fonts.normal, fonts.bold, ...opened].map(({ file }) => file),
  }
}
