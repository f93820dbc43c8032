import { expect } from 'vitest'
import type { RunningService } from '../../support/service.ts'

/** A text as SQL has it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** An event as it is stored. */
export interface StoredRow {
  readonly event: string
  readonly distinctId: string
  readonly personId: string
  readonly properties: Readonly<Record<string, unknown>>
}

/**
 * Holds the service to these events of each distinct id, in any order, each with a uuid of its own and the time of now; answers them by
 * their time.
 */
export const expectRows = async (
  service: RunningService,
  expected: Readonly<Record<string, readonly string[]>>,
): Promise<StoredRow[]> => {
  const ids = Object.keys(expected)
  const found = await service.query(
    `SELECT event, distinct_id, person_id, properties, uuid, timestamp FROM events
      WHERE distinct_id IN (${ids.map(quoted).join(', ')}) ORDER BY timestamp`,
  )
  const rows = found.map(([event, distinctId, personId, properties]) => ({
    event: String(event),
    distinctId: String(distinctId),
    personId: String(personId),
    properties: JSON.parse(String(properties)),
  }))
  const eventsOf = (id: string) => rows.filter(({ distinctId }) => distinctId === id).map(({ event }) => event)
  expect(Object.fromEntries(ids.map((id) => [id, eventsOf(id).sort()]))).toEqual(
    Object.fromEntries(ids.map((id) => [id, [...expected[id]!].sort()])),
  )
  expect(new Set(found.map(([, , , , uuid]) => uuid)).size).toBe(rows.length)
  for (const [, , , , , timestamp] of found)
    expect(Math.abs(Date.now() - Date.parse(String(timestamp)))).toBeLessThan(120_000)
  return rows
}

/** Holds the rows of flags that were asked for to what was answered, of each flag once or several times, and to no error of the service. */
export const expectCalled = (rows: readonly StoredRow[], told: Readonly<Record<string, unknown>>): void => {
  const called = rows.filter(({ event }) => event === '$feature_flag_called').map(({ properties }) => properties)
  const asked = called.map((each) => JSON.stringify([each['$feature_flag'], each['$feature_flag_response']]))
  const pairs = Object.entries(told).flatMap(([key, value]) =>
    [value].flat().map((each) => JSON.stringify([key, each])),
  )
  expect(asked.sort()).toEqual(pairs.sort())
  // Packages tell here that the service could not evaluate all flags, or not in time, or did not know the flag.
  for (const each of called) expect(each).not.toHaveProperty('$feature_flag_error')
}

/** Holds the service to one identified person who has these ids and no other, and at least these properties; answers their id. */
export const expectPerson = async (
  service: RunningService,
  ids: readonly string[],
  properties: object,
): Promise<string> => {
  const found = await service.query(
    `SELECT id, properties, is_identified FROM persons WHERE id IN
      (SELECT person_id FROM person_distinct_ids WHERE distinct_id IN (${ids.map(quoted).join(', ')}))`,
  )
  expect(found).toHaveLength(1)
  const [id, stored, isIdentified] = found[0]!
  expect(isIdentified).toBe(true)
  expect(JSON.parse(String(stored))).toMatchObject(properties)
  const all = await service.query(`SELECT distinct_id FROM person_distinct_ids WHERE person_id = ${quoted(String(id))}`)
  expect(all.map(([each]) => String(each)).sort()).toEqual([...ids].sort())
  return String(id)
}

/** Holds the service to a company with these properties and no other. */
export const expectGroup = async (service: RunningService, key: string, properties: object): Promise<void> => {
  const found = await service.query(`SELECT group_type, properties FROM groups WHERE group_key = ${quoted(key)}`)
  expect(found.map(([type, stored]) => [type, JSON.parse(String(stored))])).toEqual([['company', properties]])
}
