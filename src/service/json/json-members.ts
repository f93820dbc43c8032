import type { Json, JsonObject } from '../../wire/json.ts'
import type { NameTable } from './name-table.ts'

/** What is known of a value without parsing it. */
export const ValueForm = {
  /** A string without escapes. */
  string: 0,
  /** A number, written as JavaScript writes it. */
  number: 1,
  boolean: 2,
  null: 3,
  /** Another number: with an exponent, zeros at the end, or more digits than JavaScript keeps. */
  otherNumber: 4,
  /** A string with escapes. */
  escapedString: 5,
  /** An object or array. */
  container: 6,
} as const

/** Numbers of a member on a tape: its name and form (`nameOf`, `formOf`), where its name, its value and what follows it start. */
export const MEMBER_NUMBERS = 4

const FORM_BITS = 3

/** The members of several objects of the same bytes, as numbers. */
export interface MemberTape {
  /** `MEMBER_NUMBERS` numbers for each member. Replaced when it becomes too small. */
  numbers: Int32Array
  /** Count of the numbers in use. */
  length: number
  /** The table of the names of members. */
  names: NameTable
}

export const createTape = (names: NameTable, members: number): MemberTape => ({
  numbers: new Int32Array(members * MEMBER_NUMBERS),
  length: 0,
  names,
})

/** Writes a member at the end of a tape. */
export const addMember = (
  tape: MemberTape,
  name: number,
  form: number,
  nameStart: number,
  valueStart: number,
  valueEnd: number,
): void => {
  const { length } = tape
  if (length === tape.numbers.length) {
    const numbers = new Int32Array(length * 2)
    numbers.set(tape.numbers)
    tape.numbers = numbers
  }
  const { numbers } = tape
  numbers[length] = (name << FORM_BITS) | form
  numbers[length + 1] = nameStart
  numbers[length + 2] = valueStart
  numbers[length + 3] = valueEnd
  tape.length = length + MEMBER_NUMBERS
}

/** The number of a member's name, from the first of its numbers. */
export const nameOf = (number: number): number => number >> FORM_BITS

/** The form of a member's value (`ValueForm`), from the first of its numbers. */
export const formOf = (number: number): number => number & ((1 << FORM_BITS) - 1)

/**
 * A JSON object in the bytes of a request, divided into members but not parsed: most events are stored as they were sent, and
 * parsing them would cost more than all else. Names have no escapes, and no name is an integer, which JavaScript would move to the front. A
 * name may occur twice.
 */
export interface JsonMembers {
  /** UTF-8. */
  readonly bytes: Buffer
  /** Where the object starts and ends. */
  readonly start: number
  readonly end: number
  readonly tape: MemberTape
  /** Its numbers on the tape: from the first to before the last. */
  readonly firstNumber: number
  readonly endNumber: number
  /** Members that were added to those in the bytes. None of these has the same name. */
  readonly added: JsonObject | null
}

/** Parses a part of the bytes. */
export const parseValue = (bytes: Buffer, start: number, end: number): Json =>
  JSON.parse(bytes.toString('utf8', start, end))

/** Whether an object is not parsed. */
export const isMembers = (object: JsonObject | JsonMembers): object is JsonMembers =>
  (object as { readonly bytes?: unknown }).bytes instanceof Buffer

/** Parses an object, if it is not parsed yet. */
export const toObject = (object: JsonObject | JsonMembers): JsonObject => {
  if (!isMembers(object)) return object
  const { bytes, start, end, added } = object
  const parsed = parseValue(bytes, start, end) as JsonObject
  return added === null ? parsed : { ...parsed, ...added }
}

/** The bytes of an object, as it was sent. Of one that is parsed already: 0. */
export const byteLengthOf = (object: JsonObject | JsonMembers): number =>
  isMembers(object) ? object.end - object.start : 0
