import type { DuckDBListVector } from '@duckdb/node-api'
import type { Work } from '../../../../work-in-chunks.ts'
import { BLOCK_BITS, createPersonGrouping } from './group-by-person.ts'
import type { NumberSource } from '../../question/number-source.ts'
import type { Scan, SelectSql } from './select.ts'

/** Computes something from the numbers of persons. */
export interface PersonsReader<Result> {
  /** Reads the numbers of a person, which are at `count` places from `offset` on, in any order. */
  readonly read: (numbers: NumberSource, offset: number, count: number, person: number) => Work
  /** Called after the last person. */
  readonly end: () => Work<Result>
}

/**
 * Writes a SELECT of lists for `scanPersons`.
 *
 * DuckDB takes 190 ns for a number of a list if each person has a list, because the lists grow at random places of the memory. With a
 * list for a block of persons, and groups made of it outside of DuckDB, all takes 80 ns.
 *
 * @param rows A SELECT of `person` (`PERSON_NUMBER`) and `number`, a DOUBLE.
 */
export const writePersonLists = (rows: string): string =>
  `SELECT list(person), list(number) FROM (${rows}) GROUP BY person >> ${BLOCK_BITS}`

/** Runs a SELECT of `writePersonLists`, and passes on the numbers of one person after the other. */
export const scanPersons = <Result>(
  scan: Scan,
  { sql, parameters }: SelectSql,
  { read, end }: PersonsReader<Result>,
): Promise<Result> => {
  const group = createPersonGrouping()
  return scan(
    sql,
    {
      *read(chunk) {
        const [persons, numbers] = [0, 1].map((index) => chunk.getColumnVector(index) as DuckDBListVector)
        const { rowCount } = chunk
        for (let row = 0; row < rowCount; row++) {
          const count = numbers!.getEntryLength(row)
          const grouped = yield* group({
            persons: persons!.childVector,
            personsOffset: persons!.getEntryOffset(row),
            numbers: numbers!.childVector,
            numbersOffset: numbers!.getEntryOffset(row),
            count,
          })
          const source: NumberSource = { getItem: (index) => grouped.numbers[index] }
          let offset = 0
          for (let index = 0; offset < count; index++) {
            const before = grouped.ends[index]!
            if (before > offset) yield* read(source, offset, before - offset, grouped.firstPerson + index)
            offset = before
          }
        }
      },
      end,
    },
    parameters,
  )
}
