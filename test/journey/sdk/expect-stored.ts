import { expect, vi } from 'vitest'
import type { RunningService } from '../../support/service.ts'

/** Quotes a string for SQL. */
const quote = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** A stored event. */
export interface StoredRow {
  readonly event: string
  readonly distinctId: string
  readonly personId: string
  readonly properties: Readonly<Record<string, unknown>>
}

/**
 * Expects exactly these stored events of each distinct id, in any order, with different uuids and a time within two minutes of now.
 * Waits for them, because a busy browser sends beacons seconds after the page was left.
 *
 * @returns The events, ordered by time.
 */
export const expectRows = (
  service: RunningService,
  expected: Readonly<Record<string, readonly string[]>>,
): Promise<StoredRow[]> => vi.waitFor(() => readRows(service, expected), { timeout: 20_000, interval: 500 })

const readRows = async (
  service: RunningService,
  expected: Readonly<Record<string, readonly string[]>>,
): Promise<StoredRow[]> => {
  const ids = Object.keys(expected)
  const result = await service.query(
    `SELECT event, distinct_id, person_id, properties, uuid, timestamp FROM events
      WHERE distinct_id IN (${ids.map(quote).join(', ')}) ORDER BY timestamp`,
  )
  const rows = result.map(([event, distinctId, personId, properties]) => ({
    event: String(event),
    distinctId: String(distinctId),
    personId: String(personId),
    properties: JSON.parse(String(properties)),
  }))
  const eventsOf = (id: string) => rows.filter(({ distinctId }) => distinctId === id).map(({ event }) => event)
  expect(Object.fromEntries(ids.map((id) => [id, eventsOf(id).sort()]))).toEqual(
    Object.fromEntries(ids.map((id) => [id, [...expected[id]!].sort()])),
  )
  expect(new Set(result.map(([, , , , uuid]) => uuid)).size).toBe(rows.length)
  for (const [, , , , , timestamp] of result)
    expect(Math.abs(Date.now() - Date.parse(String(timestamp)))).toBeLessThan(120_000)
  return rows
}

/**
 * Expects these flag reads among the rows, and no error of flag evaluation.
 *
 * @param expected Value of each flag; an array if the flag was read with several values.
 */
export const expectFlagsCalled = (rows: readonly StoredRow[], expected: Readonly<Record<string, unknown>>): void => {
  const flagCalls = rows.filter(({ event }) => event === '$feature_flag_called').map(({ properties }) => properties)
  const actualPairs = flagCalls.map((properties) =>
    JSON.stringify([properties['$feature_flag'], properties['$feature_flag_response']]),
  )
  const expectedPairs = Object.entries(expected).flatMap(([key, value]) =>
    [value].flat().map((item) => JSON.stringify([key, item])),
  )
  expect(actualPairs.sort()).toEqual(expectedPairs.sort())
  // Packages set this if the service did not evaluate all flags, did not respond in time, or does not know the flag.
  for (const properties of flagCalls) expect(properties).not.toHaveProperty('$feature_flag_error')
}

/**
 * Expects one identified person with exactly these distinct ids and at least these properties.
 *
 * @returns The id of the person.
 */
export const expectPerson = async (
  service: RunningService,
  ids: readonly string[],
  properties: object,
): Promise<string> => {
  const persons = await service.query(
    `SELECT id, properties, is_identified FROM persons WHERE id IN
      (SELECT person_id FROM person_distinct_ids WHERE distinct_id IN (${ids.map(quote).join(', ')}))`,
  )
  expect(persons).toHaveLength(1)
  const [id, stored, isIdentified] = persons[0]!
  expect(isIdentified).toBe(true)
  expect(JSON.parse(String(stored))).toMatchObject(properties)
  const idRows = await service.query(
    `SELECT distinct_id FROM person_distinct_ids WHERE person_id = ${quote(String(id))}`,
  )
  expect(idRows.map(([distinctId]) => String(distinctId)).sort()).toEqual([...ids].sort())
  return String(id)
}

/** Expects a company with exactly these properties. */
export const expectGroup = async (service: RunningService, key: string, properties: object): Promise<void> => {
  const groups = await service.query(`SELECT group_type, properties FROM groups WHERE group_key = ${quote(key)}`)
  expect(groups.map(([type, stored]) => [type, JSON.parse(String(stored))])).toEqual([['company', properties]])
}
