import { ASSERT, CHAR, SPLIT, MAX_CELLS } from './assemble.ts'
import type { Program } from './assemble.ts'
import { CLASSES, unicodeClassesOf, hasChar } from './char-set.ts'

// Kinds of the character before a position in the string: none (at the start), another character, or a word character.
const NONE = 0
const OTHER = 1
const WORD = 2

/** The end of the string, as a character code. */
const END = -1

/** Final results in a row of the transition table, besides state numbers; 0 means not computed yet. */
const FOUND = -1
const NOT_FOUND = -2

/** Columns of the transition table: the end, each ASCII character, and other characters by their Unicode classes. */
const COLUMNS = 1 + 128 + 8

/** Maximum size of one pattern's state cache, in 16-bit numbers. A full cache is cleared. It bounds memory and the time to fill it. */
const MAX_CACHE_SIZE = 16_384

// Searches do not overlap, so all share these buffers. `stepCount` numbers the steps of all searches: a mark from an earlier
// step does not count, so marks need no clearing.
let stepCount = 0
const visitedIn = new Int32Array(MAX_CELLS)
const addedIn = new Int32Array(MAX_CELLS)
const testedIn = new Int32Array(MAX_CELLS)
const isMember = new Uint8Array(MAX_CELLS)
const pendingAddresses = new Uint16Array(2 * MAX_CELLS + 2)
let currentInstructions = new Uint16Array(MAX_CELLS + 1)
let nextInstructions = new Uint16Array(MAX_CELLS + 1)

/** Visits of cells since they were taken. */
let visitCount = 0

/** Returns the number of cells that searches visited since the last call. Steps that are cached visit none. */
export const takeVisits = (): number => {
  const visits = visitCount
  visitCount = 0
  return visits
}

const beginStep = (): number => {
  if (stepCount === 0x7fffffff) {
    for (const marks of [visitedIn, addedIn, testedIn]) marks.fill(0)
    stepCount = 0
  }
  return ++stepCount
}

/**
 * Creates a search that simulates the program's NFA and caches its DFA states, so no string makes it backtrack. A state is the kind
 * of the previous character and the instructions that it led to. Transitions between states are cached up to a limit, so most
 * characters take one table lookup.
 *
 * Time: each character takes at most one visit of each cell and one test of each set.
 */
export const createSearch = ({ cells, start, sets, hasBoundary, isAscii }: Program): ((input: string) => boolean) => {
  /** States by number, from 1. Each is a string: `NONE`, `OTHER` or `WORD`, then the instructions. */
  let states: string[] = []
  /** The transition table: one row per state. */
  let rows: Int16Array[] = []
  const stateNumbers = new Map<string, number>()
  let cacheSize = 0

  /** Returns the number of the state in `currentInstructions`; 0 when the cache is full. */
  const getStateNumber = (count: number): number => {
    if (cacheSize > MAX_CACHE_SIZE) return 0
    const state = String.fromCharCode.apply(null, currentInstructions.subarray(0, count) as unknown as number[])
    cacheSize += count
    const number = stateNumbers.get(state)
    if (number !== undefined) return number
    cacheSize += COLUMNS
    stateNumbers.set(state, states.length)
    rows.push(new Int16Array(COLUMNS))
    return states.push(state) - 1
  }

  const resetFullCache = (): void => {
    if (cacheSize > 0 && cacheSize <= MAX_CACHE_SIZE) return
    cacheSize = 0
    stateNumbers.clear()
    states = ['']
    rows = [new Int16Array(0)]
    currentInstructions[0] = NONE
    getStateNumber(1)
  }

  /**
   * Reads a character: computes `nextInstructions` from the first `count` entries of `currentInstructions`.
   *
   * @returns The new count; 0 for a match.
   */
  const step = (count: number, code: number): number => {
    const stepNumber = beginStep()
    const source = currentInstructions
    const target = nextInstructions
    const previousKind = source[0]!
    const kind = hasBoundary && code !== END && hasChar(CLASSES['w']!, code) ? WORD : OTHER
    /** Whether `^`, `$`, `\b` and `\B` hold here, from the lowest bit. */
    const assertions =
      (previousKind === NONE ? 1 : 0) | (code === END ? 2 : 0) | ((previousKind === WORD) === (kind === WORD) ? 8 : 4)
    let total = 1
    let visits = 0
    for (let index = 0; index < count; index++) {
      // A match may begin at any position, so each step also starts at the first instruction.
      let address = index === 0 ? start : source[index]!
      let pendingCount = 0
      for (;;) {
        if (visitedIn[address] !== stepNumber) {
          visitedIn[address] = stepNumber
          visits++
          const cell = cells[address]!
          const argument = cell >> 2
          const operation = cell & 3
          if (operation === CHAR) {
            if (testedIn[argument] !== stepNumber) {
              testedIn[argument] = stepNumber
              isMember[argument] = code !== END && hasChar(sets[argument]!, code) ? 1 : 0
            }
            if (isMember[argument] !== 0) {
              const nextAddress = cells[address + 1]!
              if (addedIn[nextAddress] !== stepNumber) {
                addedIn[nextAddress] = stepNumber
                target[total++] = nextAddress
              }
            }
          } else if (operation === SPLIT)
            for (let branch = address + argument; branch > address; branch--)
              pendingAddresses[pendingCount++] = cells[branch]!
          else if (operation !== ASSERT) {
            visitCount += visits
            return 0
          } else if (((assertions >> argument) & 1) === 1) pendingAddresses[pendingCount++] = cells[address + 1]!
        }
        if (pendingCount === 0) break
        address = pendingAddresses[--pendingCount]!
      }
    }
    visitCount += visits
    target[0] = kind
    return total
  }

  return (input) => {
    resetFullCache()
    let state = 1
    let count = 1
    for (let index = 0; ; index++) {
      const code = index < input.length ? input.codePointAt(index)! : END
      if (code > 0xffff) index++
      const column = code < 128 ? code + 1 : isAscii ? 129 + unicodeClassesOf(code) : undefined
      const row = column === undefined ? undefined : rows[state]
      let nextState = row === undefined || state === 0 ? 0 : row[column!]!
      if (nextState === 0) {
        if (state !== 0) {
          const instructions = states[state]!
          count = instructions.length
          for (let slot = 0; slot < count; slot++) currentInstructions[slot] = instructions.charCodeAt(slot)
        }
        count = step(count, code)
        const reusedBuffer = currentInstructions
        currentInstructions = nextInstructions
        nextInstructions = reusedBuffer
        nextState =
          count === 0 ? FOUND : code === END ? NOT_FOUND : state === 0 || row === undefined ? 0 : getStateNumber(count)
        if (row !== undefined && state !== 0) row[column!] = nextState
      }
      if (nextState < 0) return nextState === FOUND
      state = nextState
    }
  }
}
