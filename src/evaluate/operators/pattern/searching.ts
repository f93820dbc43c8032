import { ASSERT, CHAR, FORK, MAX_CELLS } from './assemble.ts'
import type { Program } from './assemble.ts'
import { CLASSES, classesOf, has } from './char-set.ts'

// What stands before a place in the text.
const NOTHING = 0
const OTHER = 1
const WORD = 2

/** The place behind the last character, as a code. */
const END = -1

/** The answers that a row may hold beside a state; 0 is what was not asked yet. */
const YES = -1
const NO = -2

/** The end, each ASCII character, and the others by their classes. */
const COLUMNS = 1 + 128 + 8

/** How many numbers of 16 bits a pattern may write down before it forgets them all: bounds the memory, and the time it takes. */
const MAX_WRITTEN = 16_384

// Searches end before others begin, so all share one scratch pad. `clock` counts the steps of all; what was marked in an
// earlier step is not marked.
let clock = 0
const reached = new Int32Array(MAX_CELLS)
const added = new Int32Array(MAX_CELLS)
const asked = new Int32Array(MAX_CELLS)
const isMember = new Uint8Array(MAX_CELLS)
const pending = new Uint16Array(2 * MAX_CELLS + 2)
let current = new Uint16Array(MAX_CELLS + 1)
let next = new Uint16Array(MAX_CELLS + 1)

const tick = (): number => {
  if (clock === 0x7fffffff) {
    for (const marks of [reached, added, asked]) marks.fill(0)
    clock = 0
  }
  return ++clock
}

/**
 * Searches by following all ways at once, so that no text makes it go back. Where it stands is what came before and the
 * instructions that the last character led to; which one follows upon which is remembered, up to a bound, so that most
 * characters take one look into a table.
 *
 * Time: each character takes at most one visit of each cell and one look into each set.
 */
export const searching = ({ cells, start, sets, hasBoundary, isAscii }: Program): ((text: string) => boolean) => {
  /** Where a search can stand: `NOTHING`, `OTHER` or `WORD`, then instructions, as a text; by number, the first is 1. */
  let states: string[] = []
  let rows: Int16Array[] = []
  const numbers = new Map<string, number>()
  let written = 0

  /** The number of where `current` stands, 0 when there is no more room. */
  const numberOf = (count: number): number => {
    if (written > MAX_WRITTEN) return 0
    const state = String.fromCharCode.apply(null, current.subarray(0, count) as unknown as number[])
    written += count
    const number = numbers.get(state)
    if (number !== undefined) return number
    written += COLUMNS
    numbers.set(state, states.length)
    rows.push(new Int16Array(COLUMNS))
    return states.push(state) - 1
  }

  const begin = (): void => {
    if (written > 0 && written <= MAX_WRITTEN) return
    written = 0
    numbers.clear()
    states = ['']
    rows = [new Int16Array(0)]
    current[0] = NOTHING
    numberOf(1)
  }

  /** Reads a character: makes `next` of the first `count` of `current`. Returns how many they are, 0 for a match. */
  const step = (count: number, code: number): number => {
    const now = tick()
    const from = current
    const to = next
    const before = from[0]!
    const after = hasBoundary && code !== END && has(CLASSES['w']!, code) ? WORD : OTHER
    /** Whether `^`, `$`, `\b` and `\B` hold here, as bits from the lowest. */
    const holding =
      (before === NOTHING ? 1 : 0) | (code === END ? 2 : 0) | ((before === WORD) === (after === WORD) ? 8 : 4)
    let total = 1
    for (let at = 0; at < count; at++) {
      // A match may begin at each place.
      let place = at === 0 ? start : from[at]!
      let waiting = 0
      for (;;) {
        if (reached[place] !== now) {
          reached[place] = now
          const cell = cells[place]!
          const argument = cell >> 2
          const operation = cell & 3
          if (operation === CHAR) {
            if (asked[argument] !== now) {
              asked[argument] = now
              isMember[argument] = code !== END && has(sets[argument]!, code) ? 1 : 0
            }
            if (isMember[argument] !== 0) {
              const target = cells[place + 1]!
              if (added[target] !== now) {
                added[target] = now
                to[total++] = target
              }
            }
          } else if (operation === FORK)
            for (let arm = place + argument; arm > place; arm--) pending[waiting++] = cells[arm]!
          else if (operation !== ASSERT) return 0
          else if (((holding >> argument) & 1) === 1) pending[waiting++] = cells[place + 1]!
        }
        if (waiting === 0) break
        place = pending[--waiting]!
      }
    }
    to[0] = after
    return total
  }

  return (text) => {
    begin()
    let state = 1
    let count = 1
    for (let at = 0; ; at++) {
      const code = at < text.length ? text.codePointAt(at)! : END
      if (code > 0xffff) at++
      const column = code < 128 ? code + 1 : isAscii ? 129 + classesOf(code) : undefined
      const row = column === undefined ? undefined : rows[state]
      let to = row === undefined || state === 0 ? 0 : row[column!]!
      if (to === 0) {
        if (state !== 0) {
          const stood = states[state]!
          count = stood.length
          for (let each = 0; each < count; each++) current[each] = stood.charCodeAt(each)
        }
        count = step(count, code)
        const spent = current
        current = next
        next = spent
        to = count === 0 ? YES : code === END ? NO : state === 0 || row === undefined ? 0 : numberOf(count)
        if (row !== undefined && state !== 0) row[column!] = to
      }
      if (to < 0) return to === YES
      state = to
    }
  }
}
