import { Sqlite } from '../service/support/load-sqlite.mjs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

/** @import { Model } from './model.mjs' */

/** Longest JSON of properties, in characters, that is compared completely. Of longer ones only the length is compared. */
const MAX_COMPARED_LENGTH = 10_000

/**
 * @typedef {object} AuditedProject
 * @property {number} id
 * @property {Model} model
 * @property {ReadonlyMap<string, boolean>} eventsWithoutUuid Marker of each event without a uuid to whether it was acknowledged.
 * @property {(sql: string) => Promise<any[][]>} query Queries the event store of the project.
 */

/**
 * Compares the event store and the metadata of a project with the model and returns a description of each difference.
 *
 * @param {AuditedProject} project
 * @param {string} folder The data folder.
 * @param {number | null} round Only events of this round are compared completely, the others only by uuid; null compares all.
 * @returns {Promise<string[]>}
 */
export const audit = async ({ id, model, eventsWithoutUuid, query }, folder, round) => {
  const differences = []
  const report = (difference) => differences.push(`project ${id}: ${difference}`)
  const stored = readMetadata(folder, id)

  comparePersons(stored, model, report)
  compareGroups(stored.groups, model, report)

  const storeCopy = await readStoreCopy(query)
  for (const table of /** @type {const} */ (['personOf', 'persons', 'groups'])) {
    for (const [key, metadataValue, storeValue] of findUnequal(stored[table], storeCopy[table])) {
      report(`${table} ${key} is ${format(metadataValue)} in the metadata and ${format(storeValue)} in the event store`)
    }
  }

  const isNamed = `event <> 'unnamed'`
  const storedCounts = new Map()
  for (const [uuid] of await query(`SELECT uuid::VARCHAR FROM events WHERE ${isNamed}`)) {
    storedCounts.set(uuid, (storedCounts.get(uuid) ?? 0) + 1)
  }
  for (const uuid of model.events.keys()) {
    if (storedCounts.get(uuid) !== 1) {
      report(`event ${uuid} is stored ${storedCounts.get(uuid) ?? 0} times: ${format(model.events.get(uuid))}`)
    }
  }
  for (const uuid of storedCounts.keys()) if (!model.events.has(uuid)) report(`event ${uuid} was never sent`)

  await compareEvents(query, model, isNamed, round, report)
  await compareEventsWithoutUuid(query, eventsWithoutUuid, report)
  await comparePersonsOfEvents(query, model, stored.personOf, report)
  return differences
}

/** Reads the metadata from its file. */
const readMetadata = (folder, project) => {
  const database = new Sqlite(join(folder, 'metadata.sqlite'), { readonly: true, timeout: 10_000 })
  try {
    const rows = (sql) => database.prepare(sql).all(project)
    const persons = rows('SELECT id, properties, created_at, is_identified FROM persons WHERE project_id = ?')
    const ids = rows('SELECT distinct_id, person_id FROM person_distinct_ids WHERE project_id = ?')
    const groups = rows('SELECT group_type, group_key, properties, created_at FROM groups WHERE project_id = ?')
    return {
      persons: new Map(
        persons.map((row) => [row.id, personOf(row.properties, row.created_at, row.is_identified === 1)]),
      ),
      personOf: new Map(ids.map((row) => [row.distinct_id, row.person_id])),
      groups: new Map(
        groups.map((row) => [groupName(row.group_type, row.group_key), groupOf(row.properties, row.created_at)]),
      ),
    }
  } finally {
    database.close()
  }
}

/** Reads the copy of the metadata in the event store, which queries use. */
const readStoreCopy = async (query) => {
  const persons = await query(
    'SELECT id::VARCHAR, properties::VARCHAR, epoch_ms(created_at), is_identified FROM persons',
  )
  const ids = await query('SELECT distinct_id, person_id::VARCHAR FROM person_distinct_ids')
  const groups = await query('SELECT group_type, group_key, properties::VARCHAR, epoch_ms(created_at) FROM groups')
  return {
    persons: new Map(
      persons.map(([id, properties, createdAt, isIdentified]) => [
        id,
        personOf(properties, Number(createdAt), isIdentified),
      ]),
    ),
    personOf: new Map(ids.map(([distinctId, person]) => [distinctId, person])),
    groups: new Map(
      groups.map(([type, key, properties, createdAt]) => [
        groupName(type, key),
        groupOf(properties, Number(createdAt)),
      ]),
    ),
  }
}

const groupName = (type, key) => JSON.stringify([type, key])
const groupOf = (properties, createdAt) => ({ createdAt, properties: JSON.parse(properties) })
const personOf = (properties, createdAt, isIdentified) => ({
  properties: JSON.parse(properties),
  createdAt,
  isIdentified,
})

const comparePersons = ({ persons, personOf }, model, report) => {
  for (const distinctId of personOf.keys()) {
    if (!model.personOf.has(distinctId)) report(`${distinctId} has a person and should have none`)
  }
  const people = new Set(model.personOf.values())
  for (const person of people) {
    const ids = [...person.ids]
    const storedIds = new Set(ids.map((distinctId) => personOf.get(distinctId)))
    const [id] = storedIds
    if (storedIds.size > 1 || id === undefined) {
      const personsById = ids.map((distinctId) => `${distinctId}: ${personOf.get(distinctId)}`)
      report(`these ids should belong to one person: ${personsById.join(', ')}`)
      continue
    }
    const storedPerson = persons.get(id)
    const { properties, isIdentified } = person
    if (storedPerson === undefined) {
      report(`the person of ${ids.join(', ')} is missing`)
      continue
    }
    if (!isDeepStrictEqual(storedPerson.properties, properties)) {
      report(`${ids.join(', ')} has ${format(storedPerson.properties)} and should have ${format(properties)}`)
    }
    if (storedPerson.isIdentified !== isIdentified) report(`${ids.join(', ')} should be identified: ${isIdentified}`)
    if (storedPerson.createdAt !== person.createdAt) {
      report(`${ids.join(', ')} was created at ${storedPerson.createdAt} and not ${person.createdAt}`)
    }
  }
  const storedPersons = new Set(personOf.values())
  if (storedPersons.size !== people.size) report(`${storedPersons.size} persons have ids and ${people.size} should`)
  if (persons.size !== people.size) report(`there are ${persons.size} persons and should be ${people.size}`)
}

const compareGroups = (groups, model, report) => {
  for (const [name, storedGroup, expectedGroup] of findUnequal(groups, model.groups)) {
    report(`group ${name} has ${format(storedGroup)} and should have ${format(expectedGroup)}`)
  }
}

/** Events are read in as many parts, by the hash of their UUIDs: an answer is at most 32 MiB. */
const PARTS = 16n

const compareEvents = async (query, model, isNamed, round, report) => {
  const columns = `uuid::VARCHAR, event, distinct_id, epoch_ms(timestamp), historical,
    length(properties::VARCHAR),
    CASE WHEN length(properties::VARCHAR) <= ${MAX_COMPARED_LENGTH} THEN properties::VARCHAR END`
  const compared = [...model.events].filter(([, event]) => round === null || event.round === round)
  if (compared.length === 0) return
  const times = compared.map(([, event]) => event.time)
  const [from, to] = times.reduce(([low, high], time) => [Math.min(low, time), Math.max(high, time)], [Infinity, 0])
  const rowsByUuid = new Map()
  for (let part = 0n; part < PARTS; part++) {
    const [first, next] = [part, part + 1n].map((each) => (each * 2n ** 64n) / PARTS)
    // DuckDB tests the hash before it puts the properties together, some of which are 40 KB. With a cast it would do so afterwards.
    const rows = await query(
      `SELECT ${columns} FROM events WHERE ${isNamed} AND epoch_ms(timestamp) BETWEEN ${from} AND ${to}
        AND hash(uuid) BETWEEN ${first} AND ${next - 1n}`,
    )
    for (const row of rows) rowsByUuid.set(row[0], row)
  }
  for (const [uuid, sent] of compared) {
    const row = rowsByUuid.get(uuid)
    if (row === undefined) {
      report(`event ${uuid} is not stored at ${sent.time}`)
      continue
    }
    const [, event, distinctId, time, isHistorical, length, properties] = row
    const stored = { event, distinctId, time: Number(time), isHistorical }
    const expected = {
      event: sent.event,
      distinctId: sent.distinctId,
      time: sent.time,
      isHistorical: sent.isHistorical,
    }
    if (!isDeepStrictEqual(stored, expected))
      report(`event ${uuid} is stored as ${format(stored)} and should be ${format(expected)}`)
    const isSame =
      properties === null
        ? Number(length) === JSON.stringify(sent.properties).length
        : isDeepStrictEqual(JSON.parse(properties), sent.properties)
    if (!isSame) report(`event ${uuid} has ${format(properties)} and should have ${format(sent.properties)}`)
  }
}

const compareEventsWithoutUuid = async (query, eventsWithoutUuid, report) => {
  const rows = await query(`SELECT properties->>'mark', count(*) FROM events WHERE event = 'unnamed' GROUP BY 1`)
  const storedCounts = new Map(rows.map(([mark, count]) => [mark, Number(count)]))
  for (const [mark, isAcknowledged] of eventsWithoutUuid) {
    const count = storedCounts.get(mark) ?? 0
    if (count > 1 || (isAcknowledged && count === 0))
      report(`the event without a uuid, ${mark}, is stored ${count} times`)
  }
  for (const mark of storedCounts.keys())
    if (!eventsWithoutUuid.has(mark)) report(`the event without a uuid, ${mark}, was never sent`)
}

/** Every event counts for the current person of its distinct id. A distinct id without a person counts as a person of its own. */
const comparePersonsOfEvents = async (query, model, personOf, report) => {
  const isNamed = `event <> 'unnamed'`
  const rows = await query(`SELECT DISTINCT distinct_id, person_id::VARCHAR FROM events WHERE ${isNamed}`)
  const seenIds = new Set()
  for (const [distinctId, person] of rows) {
    if (seenIds.has(distinctId)) report(`events of ${distinctId} belong to several persons`)
    seenIds.add(distinctId)
    const expected = personOf.get(distinctId)
    if (expected !== undefined && expected !== person)
      report(`events of ${distinctId} belong to ${person} and not ${expected}`)
  }
  const people = new Set([...model.distinctIds].map((distinctId) => model.personOf.get(distinctId) ?? distinctId))
  const [[counted]] = await query(`SELECT count(DISTINCT person_id) FROM events WHERE ${isNamed}`)
  if (Number(counted) !== people.size) report(`${counted} people are counted and there are ${people.size}`)
}

/** Finds the keys whose values differ, with both values. */
const findUnequal = (a, b) =>
  [...new Set([...a.keys(), ...b.keys()])]
    .filter((key) => !isDeepStrictEqual(a.get(key), b.get(key)))
    .map((key) => [key, a.get(key), b.get(key)])

const format = (value) => {
  const string =
    typeof value === 'string' ? value : JSON.stringify(value, (_, item) => (item instanceof Set ? [...item] : item))
  return string === undefined ? 'missing' : string.length > 400 ? `${string.slice(0, 400)}…` : string
}
