import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

/** @import { Model } from './model.mjs' */

const Sqlite = createRequire(new URL('../../src/service/package.json', import.meta.url))('better-sqlite3')

/** Bytes of text in an event above which only the length is compared: hundreds of megabytes would cross the wire. */
const LONG_TEXT = 10_000

/**
 * @typedef {object} Audited
 * @property {number} id
 * @property {Model} model
 * @property {ReadonlyMap<string, boolean>} unnamed Mark of each event without a uuid to whether it was acknowledged.
 * @property {(sql: string) => Promise<any[][]>} query Rows of the project's event store.
 */

/**
 * Compares what a project's store and the metadata hold with the model; answers every difference in words.
 *
 * @param {Audited} project
 * @param {string} folder The data folder.
 * @param {number | null} round Events of this round are compared whole, of all others only whether they are there; null: all.
 * @returns {Promise<string[]>}
 */
export const audit = async ({ id, model, unnamed, query }, folder, round) => {
  const differences = []
  const differ = (what) => differences.push(`project ${id}: ${what}`)
  const stored = readMetadata(folder, id)

  comparePersons(stored, model, differ)
  compareGroups(stored.groups, model, differ)

  const mirror = await readMirror(query)
  for (const part of /** @type {const} */ (['personOf', 'persons', 'groups'])) {
    for (const [key, own, other] of unequal(stored[part], mirror[part])) {
      differ(`${part} ${key} is ${show(own)} in the metadata and ${show(other)} in the event store`)
    }
  }

  const isNamed = `event <> 'unnamed'`
  const times = new Map()
  for (const [uuid] of await query(`SELECT uuid::VARCHAR FROM events WHERE ${isNamed}`)) {
    times.set(uuid, (times.get(uuid) ?? 0) + 1)
  }
  for (const uuid of model.events.keys()) {
    if (times.get(uuid) !== 1) {
      differ(`event ${uuid} is stored ${times.get(uuid) ?? 0} times: ${show(model.events.get(uuid))}`)
    }
  }
  for (const uuid of times.keys()) if (!model.events.has(uuid)) differ(`event ${uuid} was never sent`)

  await compareEvents(query, model, isNamed, round, differ)
  await compareUnnamed(query, unnamed, differ)
  await comparePeople(query, model, stored.personOf, differ)
  return differences
}

/** Reads the metadata file as any other program would. */
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

/** The same, as queries of members see it. */
const readMirror = async (query) => {
  const persons = await query(
    'SELECT id::VARCHAR, properties::VARCHAR, epoch_ms(created_at), is_identified FROM persons',
  )
  const ids = await query('SELECT distinct_id, person_id::VARCHAR FROM person_distinct_ids')
  const groups = await query('SELECT group_type, group_key, properties::VARCHAR, epoch_ms(created_at) FROM groups')
  return {
    persons: new Map(persons.map(([id, properties, at, known]) => [id, personOf(properties, Number(at), known)])),
    personOf: new Map(ids.map(([distinctId, person]) => [distinctId, person])),
    groups: new Map(
      groups.map(([type, key, properties, at]) => [groupName(type, key), groupOf(properties, Number(at))]),
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

const comparePersons = ({ persons, personOf }, model, differ) => {
  for (const distinctId of personOf.keys()) {
    if (!model.personOf.has(distinctId)) differ(`${distinctId} has a person and should have none`)
  }
  const people = new Set(model.personOf.values())
  for (const person of people) {
    const ids = [...person.ids]
    const found = new Set(ids.map((distinctId) => personOf.get(distinctId)))
    const [id] = found
    if (found.size > 1 || id === undefined) {
      const where = ids.map((distinctId) => `${distinctId}: ${personOf.get(distinctId)}`)
      differ(`one person should have been made of ${where.join(', ')}`)
      continue
    }
    const own = persons.get(id)
    const { properties, isIdentified } = person
    if (own === undefined) {
      differ(`${ids.join(', ')} belong to a person who is missing`)
      continue
    }
    if (!isDeepStrictEqual(own.properties, properties)) {
      differ(`${ids.join(', ')} has ${show(own.properties)} and should have ${show(properties)}`)
    }
    if (own.isIdentified !== isIdentified) differ(`${ids.join(', ')} should be identified: ${isIdentified}`)
    if (own.createdAt !== person.createdAt) {
      differ(`${ids.join(', ')} was created at ${own.createdAt} and not ${person.createdAt}`)
    }
  }
  const shown = new Set(personOf.values())
  if (shown.size !== people.size) differ(`${shown.size} persons have ids and ${people.size} should`)
  if (persons.size !== people.size) differ(`there are ${persons.size} persons and should be ${people.size}`)
}

const compareGroups = (groups, model, differ) => {
  for (const [name, own, other] of unequal(groups, model.groups)) {
    differ(`group ${name} has ${show(own)} and should have ${show(other)}`)
  }
}

const compareEvents = async (query, model, isNamed, round, differ) => {
  const parts = `uuid::VARCHAR, event, distinct_id, epoch_ms(timestamp), historical,
    length(properties::VARCHAR),
    CASE WHEN length(properties::VARCHAR) <= ${LONG_TEXT} THEN properties::VARCHAR END`
  const own = [...model.events].filter(([, event]) => round === null || event.round === round)
  if (own.length === 0) return
  const times = own.map(([, event]) => event.time)
  const [from, to] = times.reduce(([low, high], time) => [Math.min(low, time), Math.max(high, time)], [Infinity, 0])
  const rows = await query(
    `SELECT ${parts} FROM events WHERE ${isNamed} AND epoch_ms(timestamp) BETWEEN ${from} AND ${to}`,
  )
  const found = new Map(rows.map((row) => [row[0], row]))
  for (const [uuid, sent] of own) {
    const row = found.get(uuid)
    if (row === undefined) {
      differ(`event ${uuid} is not stored at ${sent.time}`)
      continue
    }
    const [, event, distinctId, time, isHistorical, length, properties] = row
    const as = { event, distinctId, time: Number(time), isHistorical }
    const should = {
      event: sent.event,
      distinctId: sent.distinctId,
      time: sent.time,
      isHistorical: sent.isHistorical,
    }
    if (!isDeepStrictEqual(as, should)) differ(`event ${uuid} is stored as ${show(as)} and should be ${show(should)}`)
    const isSame =
      properties === null
        ? Number(length) === JSON.stringify(sent.properties).length
        : isDeepStrictEqual(JSON.parse(properties), sent.properties)
    if (!isSame) differ(`event ${uuid} has ${show(properties)} and should have ${show(sent.properties)}`)
  }
}

const compareUnnamed = async (query, unnamed, differ) => {
  const rows = await query(`SELECT properties->>'mark', count(*) FROM events WHERE event = 'unnamed' GROUP BY 1`)
  const times = new Map(rows.map(([mark, count]) => [mark, Number(count)]))
  for (const [mark, isAcknowledged] of unnamed) {
    const count = times.get(mark) ?? 0
    if (count > 1 || (isAcknowledged && count === 0))
      differ(`the event without a uuid, ${mark}, is stored ${count} times`)
  }
  for (const mark of times.keys()) if (!unnamed.has(mark)) differ(`the event without a uuid, ${mark}, was never sent`)
}

/** Every event counts for the person that its distinct id belongs to now; who has no person counts for one by their id. */
const comparePeople = async (query, model, personOf, differ) => {
  const isNamed = `event <> 'unnamed'`
  const rows = await query(`SELECT DISTINCT distinct_id, person_id::VARCHAR FROM events WHERE ${isNamed}`)
  const seen = new Set()
  for (const [distinctId, person] of rows) {
    if (seen.has(distinctId)) differ(`events of ${distinctId} belong to several persons`)
    seen.add(distinctId)
    const known = personOf.get(distinctId)
    if (known !== undefined && known !== person) differ(`events of ${distinctId} belong to ${person} and not ${known}`)
  }
  const people = new Set([...model.distinctIds].map((distinctId) => model.personOf.get(distinctId) ?? distinctId))
  const [[counted]] = await query(`SELECT count(DISTINCT person_id) FROM events WHERE ${isNamed}`)
  if (Number(counted) !== people.size) differ(`${counted} people are counted and there are ${people.size}`)
}

/** Keys whose values differ, with both. */
const unequal = (one, other) =>
  [...new Set([...one.keys(), ...other.keys()])]
    .filter((key) => !isDeepStrictEqual(one.get(key), other.get(key)))
    .map((key) => [key, one.get(key), other.get(key)])

const show = (value) => {
  const text =
    typeof value === 'string' ? value : JSON.stringify(value, (_, each) => (each instanceof Set ? [...each] : each))
  return text === undefined ? 'missing' : text.length > 400 ? `${text.slice(0, 400)}…` : text
}
