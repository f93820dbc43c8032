import { assemble } from './assemble.ts'
import { parsePattern } from './parse-pattern.ts'
import { InvalidPattern, UnsupportedPattern } from './pattern-node.ts'
import { searching } from './searching.ts'

/** A search for one pattern anywhere in a text. */
export interface Search {
  /** Undefined for a text too long for the pattern: above 4,096 code units, or 524,288 by the pattern's cells. */
  readonly find: (text: string) => boolean | undefined
  /** The length of its program, which bounds the steps of a search: at most this many for each character. */
  readonly cells: number
}

/** Longest text, in UTF-16 code units. */
const MAX_TEXT = 4_096

/** Most steps of one search. */
const MAX_STEPS = 2 ** 19

/**
 * A search for a pattern anywhere in a text. `\d \w \s \b` know Unicode, `.` is anything but a line feed, `^` and `$` are
 * the ends of the text: the dialect of the protocol's services.
 *
 * Patterns come from users and texts from visitors, so a search ends soon whatever both are. Each character takes at most a
 * visit of each cell (see `searching`), and cells times characters are at most `MAX_STEPS`. The worst patterns known take
 * 3.4 ns a step (`([а-яёa-zА-Я]?){60}x`, `я{120}x`; Node 20, AMD EPYC, idle): 1.8 ms for a search, some milliseconds more for
 * the first ones, that are not compiled yet. As most steps are remembered, most texts take 5 ns a character.
 *
 * @returns Undefined for an invalid pattern; a text saying what is not supported: lookaround, back references, flags,
 *   named groups, nested classes, more than 1,000 characters or 2,500 cells.
 */
export const compilePattern = (source: string): Search | undefined | string => {
  try {
    const program = assemble(parsePattern(source))
    const cells = program.cells.length
    const longest = Math.min(MAX_TEXT, Math.floor(MAX_STEPS / cells))
    const search = searching(program)
    // A cohort that several conditions name asks again for the same text.
    let last: string | undefined
    let found = false
    const find = (text: string): boolean | undefined => {
      if (text.length > longest) return undefined
      if (text !== last) {
        found = search(text)
        last = text
      }
      return found
    }
    return { find, cells }
  } catch (error) {
    if (error instanceof InvalidPattern) return undefined
    if (error instanceof UnsupportedPattern) return `the pattern ${error.message}`
    throw error
  }
}
