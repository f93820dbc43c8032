import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../src/wire/json.ts'
import { groupKey } from '../../../../../src/service/persons/person.ts'
import { createPendingRows } from '../../../../../src/service/store/events/clickhouse/pending-rows.ts'
import { batchOf } from '../../../../contract/service-event-store.ts'

/** 60 properties of 8 KiB. */
const LARGE: JsonObject = Object.fromEntries(
  Array.from({ length: 60 }, (_, n) => [`p${n}`, String(n).padEnd(8192, 'x')]),
)

const ADA = '00000000-0000-7000-8000-00000000ada0'
const ANON = '00000000-0000-7000-8000-0000000a0000'

const openRows = () => {
  const rows = createPendingRows({ deriveOriginId: (id) => (id === 'anon' ? ANON : ADA), node: 'local' })
  let version = 0
  /** Writes a person and a group with the same properties. */
  const write = (properties: JsonObject, names?: readonly string[], id = ADA): void => {
    version += 1
    const changedNames = names && new Set(names)
    const persons = {
      persons: [{ id, properties, createdAt: version * 1000, isIdentified: true }],
      distinctIds: new Map<string, string>(),
      groups: [{ type: 'company', key: 'acme', properties, createdAt: 0 }],
      ...(changedNames && {
        changedNames: new Map([id, groupKey('company', 'acme')].map((key) => [key, changedNames])),
      }),
    }
    rows.add(batchOf([], { persons }), version)
  }
  const merge = (): void => {
    version += 1
    const persons = { persons: [], distinctIds: new Map([['anon', ADA]]), groups: [] }
    rows.add(batchOf([], { persons }), version)
  }
  const take = (): Record<string, unknown[][]> =>
    Object.fromEntries(
      rows.take().blocks.map(({ table, rows: lines }) => [
        table,
        lines
          .toString()
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown[]),
      ]),
    )
  return { write, merge, take, sizeOf: () => rows.take().blocks.reduce((bytes, block) => bytes + block.rows.length, 0) }
}

test('writes a change of a large person or group by itself, with what else may have changed', () => {
  const { write, take, sizeOf } = openRows()
  write({ ...LARGE, plan: 'pro' }, ['plan', 'removed'])
  write({ ...LARGE, plan: 'free' }, ['plan'])
  const time = '1970-01-01 00:00:02.000'
  const { stored_person_changes: persons, stored_group_changes: groups, ...others } = take()
  expect(persons).toEqual([
    [ADA, '', '', time, true, 2],
    [ADA, '"plan"', '"free"', time, true, 2],
    [ADA, '"removed"', '', '1970-01-01 00:00:01.000', true, 1],
  ])
  expect(groups!.map((row) => row.slice(0, 4))).toEqual([
    ['company', 'acme', '', ''],
    ['company', 'acme', '"plan"', '"free"'],
    ['company', 'acme', '"removed"', ''],
  ])
  expect(others).toEqual({})
  write({ ...LARGE, plan: 'pro' }, ['plan'])
  expect(sizeOf()).toBeLessThan(1000)
})

test('writes all properties, with a line for each when they are large, in place of changes before', () => {
  const { write, take } = openRows()
  write({ plan: 'pro' }, ['plan'])
  write(LARGE)
  const { stored_persons: persons, stored_person_changes: changes, stored_group_changes: groupChanges } = take()
  expect([changes, groupChanges]).toEqual([undefined, undefined])
  expect(JSON.parse(String(persons![0]![1]))).toEqual(LARGE)
  expect(String(persons![0]![1]).split('\n')).toHaveLength(62)
})

test('writes no changes of a person who was merged into another', () => {
  const { write, merge, take } = openRows()
  write({ plan: 'pro' }, ['plan'], ANON)
  merge()
  const { stored_persons: persons, stored_person_changes: changes } = take()
  expect(persons).toEqual([[ANON, '{}', '1970-01-01 00:00:00.000', false, true, 2]])
  expect(changes).toBeUndefined()
})
