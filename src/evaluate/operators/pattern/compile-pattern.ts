import { assemble } from './assemble.ts'
import { createSearch } from './create-search.ts'
import { parsePattern } from './parse-pattern.ts'
import { InvalidPatternError, UnsupportedPatternError } from './pattern-node.ts'

/** A compiled regular expression that searches anywhere in a string. */
export interface CompiledPattern {
  /** Undefined for a string that is too long: above 4,096 code units, or above 524,288 divided by the program size. */
  readonly test: (input: string) => boolean | undefined
  /** Length of its program in cells. A search takes at most this many steps per character. */
  readonly programSize: number
}

/** Why a pattern cannot be searched for: it is invalid for the protocol's services too, or has a part that only they support. */
export interface PatternFault {
  readonly kind: 'invalid' | 'unsupported'
  /** Continues "the pattern". */
  readonly reason: string
}

/** Maximum length of a searched string, in UTF-16 code units. */
export const MAX_INPUT_LENGTH = 4_096

/** Maximum steps of one search. */
export const MAX_STEPS: number = 2 ** 19

/**
 * Compiles a pattern. In the dialect of the protocol's services, `\d \w \s \b` are Unicode-aware, `.` is anything but a line
 * feed, and `^` and `$` are the ends of the string.
 *
 * Users write the patterns and visitors the strings, so a search is fast for any combination. Each character takes at most one
 * visit of each cell (see `createSearch`), and cells times characters are at most `MAX_STEPS`. The slowest known patterns take
 * 3.4 ns a step (`([а-яёa-zА-Я]?){60}x`, `я{120}x`; Node 20, AMD EPYC, idle). That is 1.8 ms per search, and a few milliseconds
 * more before the engine has optimised the code. Most steps are cached, so most strings take 5 ns per character.
 *
 * Lookaround, back references, flags, named groups, nested classes, and more than 1,000 characters or 2,500 cells are not supported.
 */
export const compilePattern = (source: string): CompiledPattern | PatternFault => {
  try {
    const program = assemble(parsePattern(source))
    const programSize = program.cells.length
    const maxLength = Math.min(MAX_INPUT_LENGTH, Math.floor(MAX_STEPS / programSize))
    const search = createSearch(program)
    // A cohort that several conditions name searches the same string again.
    let lastInput: string | undefined
    let lastResult = false
    const test = (input: string): boolean | undefined => {
      if (input.length > maxLength) return undefined
      if (input !== lastInput) {
        lastResult = search(input)
        lastInput = input
      }
      return lastResult
    }
    return { test, programSize }
  } catch (error) {
    if (error instanceof InvalidPatternError) return { kind: 'invalid', reason: error.message }
    if (error instanceof UnsupportedPatternError) return { kind: 'unsupported', reason: error.message }
    throw error
  }
}
