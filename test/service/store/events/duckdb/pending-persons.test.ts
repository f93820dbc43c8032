import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../../src/wire/json.ts'
import { createPendingPersons } from '../../../../../src/service/store/events/duckdb/pending-persons.ts'
import type { PersonCopyUpdate } from '../../../../../src/service/store/events/event-store.ts'
import type { PackedColumn, PackedRows } from '../../../../../src/service/store/events/duckdb/rows/packed-rows.ts'

const IDS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const

const NOTHING = {
  persons: [],
  haveNames: false,
  groups: [],
  personChanges: [],
  groupChanges: [],
  keepProperties: false,
}

const updateOf = (
  persons: Readonly<Record<string, JsonObject>>,
  groups: Readonly<Record<string, JsonObject>> = {},
): PersonCopyUpdate => ({
  persons: Object.entries(persons).map(([id, properties]) => ({ id, properties, createdAt: 0, isIdentified: false })),
  distinctIds: new Map(),
  groups: Object.entries(groups).map(([key, properties]) => ({ type: 'company', key, properties, createdAt: 0 })),
})

/** The strings of one column of packed rows. */
const textOf = (rows: readonly PackedRows[], index: number): string[] =>
  rows.flatMap(({ text, columns }) => {
    const column: PackedColumn | undefined = columns[index]
    if (column?.type !== 'VARCHAR') throw new Error(`Column ${index} has no strings.`)
    const { starts, lengths } = column
    return Array.from(starts, (start, row) => Buffer.from(text.subarray(start, start + lengths[row]!)).toString())
  })

describe('the pending persons of a transaction', () => {
  it('have their last state, and are taken once', () => {
    const pending = createPendingPersons()
    pending.add(updateOf({ [IDS[0]]: { n: 1 }, [IDS[1]]: { n: 2 } }, { acme: { n: 3 } }))
    pending.add(updateOf({ [IDS[0]]: { n: 4, '€': '\ud800' } }, { acme: { n: 5 }, bolt: {} }))
    const { persons, groups } = pending.take()
    expect(textOf(persons, 1)).toEqual(['{"n":4,"€":"\ufffd"}', '{"n":2}'])
    expect([textOf(groups, 1), textOf(groups, 2)]).toEqual([
      ['acme', 'bolt'],
      ['{"n":5}', '{}'],
    ])
    expect(pending.take()).toEqual(NOTHING)
  })

  it('are forgotten when all stored persons are replaced, or the transaction is discarded', () => {
    const pending = createPendingPersons()
    pending.add(updateOf({ [IDS[0]]: { n: 1 } }))
    pending.add({ ...updateOf({ [IDS[1]]: { n: 2 } }), replacesAll: true })
    expect(textOf(pending.take().persons, 1)).toEqual(['{"n":2}'])
    pending.add(updateOf({ [IDS[0]]: { n: 1 } }))
    pending.clear()
    expect(pending.take().persons).toEqual([])
  })

  it('are written earlier when they are large', () => {
    const pending = createPendingPersons()
    pending.add(updateOf({ [IDS[0]]: { text: 'x'.repeat(3_000_000) } }))
    expect(pending.isLarge()).toBe(false)
    pending.add(updateOf({}, { acme: { text: 'x'.repeat(3_000_000) } }))
    expect(pending.isLarge()).toBe(true)
    pending.take()
    expect(pending.isLarge()).toBe(false)
  })

  it('throw for properties that are nested too deeply', () => {
    let properties: JsonObject = {}
    for (let depth = 0; depth < 100_000; depth++) properties = { deeper: properties }
    expect(() => createPendingPersons().add(updateOf({ [IDS[0]]: properties }))).toThrow(RangeError)
  })
})
