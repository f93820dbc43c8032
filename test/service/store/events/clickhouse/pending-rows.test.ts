import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../src/wire/json.ts'
import { groupKey } from '../../../../../src/service/persons/person.ts'
import { createPendingRows } from '../../../../../src/service/store/events/clickhouse/pending-rows.ts'
import type { PendingWrite } from '../../../../../src/service/store/events/clickhouse/pending-rows.ts'
import { ALL_WRITTEN, createWrittenBases } from '../../../../../src/service/store/events/clickhouse/written-bases.ts'
import type { WrittenBases } from '../../../../../src/service/store/events/clickhouse/written-bases.ts'
import { NO_PERSON_UPDATE } from '../../../../../src/service/store/events/event-store.ts'
import type { PersonCopyUpdate } from '../../../../../src/service/store/events/event-store.ts'
import { batchOf } from '../../../../contract/service-event-store.ts'

/** 60 properties of 8 KiB. */
const LARGE: JsonObject = Object.fromEntries(
  Array.from({ length: 60 }, (_, n) => [`p${n}`, String(n).padEnd(8192, 'x')]),
)

const ADA = '00000000-0000-7000-8000-00000000ada0'
const ANON = '00000000-0000-7000-8000-0000000a0000'

const openRows = (bases: WrittenBases = createWrittenBases()) => {
  const rows = createPendingRows({
    deriveOriginId: (id) => (id === 'anon' ? ANON : ADA),
    node: 'local',
    projectId: 1,
    bases,
  })
  let version = 0
  const add = (update: Partial<PersonCopyUpdate>): void => {
    version += 1
    rows.add(batchOf([], { persons: { ...NO_PERSON_UPDATE, ...update } }), version)
  }
  /** Writes a person and a group with the same properties. */
  const write = (
    properties: JsonObject,
    names?: readonly string[],
    { id = ADA, baseBytes = 500_000, ...update }: { id?: string; baseBytes?: number } & Partial<PersonCopyUpdate> = {},
  ): void => {
    const changedNames = names && new Set(names)
    const stored = { bytes: baseBytes, baseBytes, changeBytes: 0 }
    add({
      persons: [{ id, properties, createdAt: (version + 1) * 1000, isIdentified: true, stored }],
      groups: [{ type: 'company', key: 'acme', properties, createdAt: 0, stored }],
      ...(changedNames && {
        changedNames: new Map([id, groupKey('company', 'acme')].map((key) => [key, changedNames])),
      }),
      ...update,
    })
  }
  const merge = (changedBefore?: ReadonlySet<string>): void =>
    add({ distinctIds: new Map([['anon', ADA]]), changedBefore })
  const parse = ({ personBlocks }: PendingWrite): Record<string, unknown[][]> =>
    Object.fromEntries(
      personBlocks.map(({ table, rows: lines }) => [
        table,
        lines
          .toString()
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown[]),
      ]),
    )
  /** What a commit writes that succeeds. */
  const commit = (): PendingWrite => {
    const taken = rows.take()
    rows.onWritten()
    return taken
  }
  return { rows, write, merge, parse, commit, take: () => parse(commit()) }
}

const bytesOf = ({ personBlocks }: PendingWrite): number =>
  personBlocks.reduce((bytes, block) => bytes + block.rows.length, 0)

test('writes a change of a large person or group by itself, with what else may have changed', () => {
  const { write, take, commit } = openRows()
  write(LARGE)
  take()
  write({ ...LARGE, plan: 'pro' }, ['plan', 'removed'])
  write({ ...LARGE, plan: 'free' }, ['plan'])
  const time = '1970-01-01 00:00:03.000'
  const { stored_person_changes: persons, stored_group_changes: groups, ...others } = take()
  expect(persons).toEqual([
    [ADA, '', '', time, true, 3],
    [ADA, '"plan"', '"free"', time, true, 3],
    [ADA, '"removed"', '', '1970-01-01 00:00:02.000', true, 2],
  ])
  expect(groups!.map((row) => row.slice(0, 4))).toEqual([
    ['company', 'acme', '', ''],
    ['company', 'acme', '"plan"', '"free"'],
    ['company', 'acme', '"removed"', ''],
  ])
  expect(others).toEqual({})
  write({ ...LARGE, plan: 'pro' }, ['plan'])
  const written = commit()
  expect(bytesOf(written)).toBeLessThan(1000)
  expect(written.statements).toEqual([])
})

test.each([
  ['the process has written by an earlier store', createWrittenBases(), true],
  ['only this node can have written', ALL_WRITTEN, false],
])('writes a small change beside a base that %s', (_case, bases, isWrittenBefore) => {
  if (isWrittenBefore) {
    const earlier = openRows(bases)
    earlier.write(LARGE)
    earlier.commit()
  }
  const { write, commit } = openRows(bases)
  write({ ...LARGE, plan: 'pro' }, ['plan'])
  expect(bytesOf(commit())).toBeLessThan(1000)
})

test('writes all properties where a base was given and not written', () => {
  const bases = createWrittenBases()
  const earlier = openRows(bases)
  earlier.write(LARGE)
  earlier.rows.take()
  earlier.rows.clear()
  const { write, commit } = openRows(bases)
  write({ ...LARGE, plan: 'pro' }, ['plan'])
  expect(bytesOf(commit())).toBeGreaterThan(480_000)
})

test('writes all properties, with a line for each when they are large, in place of changes before', () => {
  const { write, take } = openRows()
  write(LARGE)
  take()
  write({ plan: 'pro' }, ['plan'])
  write(LARGE)
  const { stored_persons: persons, stored_person_changes: changes, stored_group_changes: groupChanges } = take()
  expect([changes, groupChanges]).toEqual([undefined, undefined])
  expect(JSON.parse(String(persons![0]![1]))).toEqual(LARGE)
  expect(String(persons![0]![1]).split('\n')).toHaveLength(62)
})

test('writes no changes of a person who was merged into another', () => {
  const { write, merge, take } = openRows()
  write(LARGE, undefined, { id: ANON })
  take()
  write({ plan: 'pro' }, ['plan'], { id: ANON })
  merge()
  const { stored_persons: persons, stored_person_changes: changes } = take()
  expect(persons).toEqual([[ANON, '{}', '1970-01-01 00:00:00.000', false, true, 3]])
  expect(changes).toBeUndefined()
})

test('writes changes beside a base of the same commit, and of one that is being written', () => {
  const { rows, write, parse } = openRows()
  const change = () => write({ ...LARGE, plan: 'pro' }, ['plan'])
  write(LARGE)
  change()
  expect(Object.keys(parse(rows.take()))).toEqual([
    'stored_groups',
    'stored_group_changes',
    'stored_persons',
    'stored_person_changes',
  ])
  change()
  rows.onWritten()
  expect(Object.keys(parse(rows.take()))).toEqual(['stored_group_changes', 'stored_person_changes'])
})

test.each([
  ['was never written', () => undefined],
  [
    'may not have been written',
    ({ rows, write }: ReturnType<typeof openRows>) => {
      write(LARGE)
      rows.take()
      rows.clear()
    },
  ],
  [
    'was replaced by one that may not have been written',
    ({ rows, write, commit }: ReturnType<typeof openRows>) => {
      write(LARGE)
      commit()
      write(LARGE)
      rows.clear()
    },
  ],
  [
    'is one of another node',
    ({ write, commit }: ReturnType<typeof openRows>) => {
      write(LARGE, undefined, { baseBytes: 400_000 })
      commit()
    },
  ],
  [
    'was deleted with all others',
    ({ write, commit }: ReturnType<typeof openRows>) => {
      write(LARGE)
      commit()
      write({}, undefined, { persons: [], groups: [], replacesAll: true })
      commit()
    },
  ],
])('writes all properties for a change whose base %s', (_, prepare) => {
  const opened = openRows()
  prepare(opened)
  opened.write({ ...LARGE, plan: 'pro' }, ['plan'])
  const written = opened.parse(opened.commit())
  expect(Object.keys(written)).toEqual(['stored_groups', 'stored_persons'])
  expect(JSON.parse(String(written['stored_persons']![0]![1]))).toEqual({ ...LARGE, plan: 'pro' })
})

test('replaces outdated changes only of those that may have had some', () => {
  const { write, merge, commit } = openRows()
  const none = { changedBefore: new Set<string>() }
  write(LARGE, undefined, none)
  merge(none.changedBefore)
  expect(commit().statements).toEqual([])
  write(LARGE, undefined, { changedBefore: new Set([ADA]) })
  merge(new Set([ANON]))
  const { statements } = commit()
  expect(statements).toHaveLength(1)
  expect(statements[0]).toContain(`(id IN ('${ADA}') AND version < 3) OR (id IN ('${ANON}') AND version < 4)`)
  write(LARGE)
  expect(commit().statements.map((statement) => statement.slice(0, 32))).toEqual([
    'INSERT INTO stored_group_changes',
    'INSERT INTO stored_person_change',
  ])
})
