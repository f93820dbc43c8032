import type { Work } from '../../../../work-in-chunks.ts'
import { ROWS_PER_YIELD } from '../../../../work-in-chunks.ts'
import type { NumberSource } from '../../question/number-source.ts'

/** Persons of a block are those whose numbers differ in these lowest bits alone. */
export const BLOCK_BITS = 10

const BLOCK_PERSONS = 2 ** BLOCK_BITS

/** Numbers and their persons, at places of two lists. */
export interface PersonNumbers {
  readonly persons: NumberSource
  readonly personsOffset: number
  readonly numbers: NumberSource
  readonly numbersOffset: number
  readonly count: number
}

/** The numbers of a block by their persons. Valid until the next block. */
export interface GroupedNumbers {
  readonly numbers: Readonly<Float64Array>
  /** Where the numbers of each person end; they begin where those of the person before end. */
  readonly ends: Readonly<Int32Array>
  /** The number of the first person. */
  readonly firstPerson: number
}

/** Creates a function that groups the numbers of one block after the other, each of at least one number. */
export const createPersonGrouping = (): ((block: PersonNumbers) => Work<GroupedNumbers>) => {
  let grouped = new Float64Array()
  /** The persons of the numbers, from 0. */
  let members = new Int32Array()
  const places = new Int32Array(BLOCK_PERSONS)

  // Loops of their own, because loops with a `yield` take twice the time.
  const count = ({ persons, personsOffset }: PersonNumbers, from: number, before: number): void => {
    for (let index = from; index < before; index++) {
      const member = (persons.getItem(personsOffset + index) as number) & (BLOCK_PERSONS - 1)
      members[index] = member
      places[member]! += 1
    }
  }
  const move = ({ numbers, numbersOffset }: PersonNumbers, from: number, before: number): void => {
    for (let index = from; index < before; index++)
      grouped[places[members[index]!]!++] = numbers.getItem(numbersOffset + index) as number
  }
  const toStarts = (): void => {
    let start = 0
    for (let member = 0; member < BLOCK_PERSONS; member++) {
      const length = places[member]!
      places[member] = start
      start += length
    }
  }

  return function* (block) {
    if (block.count > grouped.length) {
      grouped = new Float64Array(Math.ceil(1.25 * block.count))
      members = new Int32Array(grouped.length)
    }
    places.fill(0)
    for (const [from, before] of divide(block.count)) {
      yield
      count(block, from, before)
    }
    toStarts()
    for (const [from, before] of divide(block.count)) {
      yield
      move(block, from, before)
    }
    const firstPerson = (block.persons.getItem(block.personsOffset) as number) & ~(BLOCK_PERSONS - 1)
    // Each place is now the one after the last number of the person.
    return { numbers: grouped, ends: places, firstPerson }
  }
}

const divide = function* (count: number): Generator<readonly [from: number, before: number]> {
  for (let from = 0; from < count; from += ROWS_PER_YIELD) yield [from, Math.min(count, from + ROWS_PER_YIELD)]
}
