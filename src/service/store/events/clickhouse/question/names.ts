import { MAX_EVENT_NAME_CHARACTERS, MAX_PROPERTY_NAME_CHARACTERS } from '../../../../../wire/bounds.ts'
import type { EventName, PropertyName, PropertyOwner, PropertyType } from '../../../../insight/question/names.ts'
import {
  MAX_NAMES,
  MAX_SAMPLE_PER_EVENT,
  MAX_SAMPLED_EVENTS,
  MAX_SAMPLED_OWNERS,
  readEventNames,
  TIME_PATTERN,
  toType,
} from '../../question/read-names.ts'
import { quoteString } from '../../../../sql/quote-clickhouse.ts'
import type { Select } from '../../question/select.ts'

/** Reads the names of events, most frequent first. */
export const answerEventNames = async (select: Select): Promise<readonly EventName[]> =>
  readEventNames(
    await select(
      // Earlier versions stored longer names. They are cut once the events are counted, so that this costs nothing per event.
      `SELECT leftUTF8(event, ${MAX_EVENT_NAME_CHARACTERS}) AS name, sum(uses) AS total, toUnixTimestamp64Milli(min(first)), toUnixTimestamp64Milli(max(last))
       FROM (SELECT event, count() AS uses, min(timestamp) AS first, max(timestamp) AS last FROM events GROUP BY event)
       GROUP BY name ORDER BY total DESC, name LIMIT ${MAX_NAMES}`,
    ),
  )

/** The type of a value by the first character of its JSON. */
const TYPES: Readonly<Record<string, PropertyType>> = { string: 'text', boolean: 'boolean', number: 'number' }

const TYPE_SQL = `multiIf(startsWith(json, '"'), 'string', json IN ('true', 'false'), 'boolean', match(json, '^[-0-9]'), 'number', 'other')`

/** Reads the names of properties, those that most of the newest owners have first. */
export const answerPropertyNames = async (owner: PropertyOwner, select: Select): Promise<readonly PropertyName[]> => {
  const members = `SELECT arrayJoin(JSONExtractKeysAndValuesRaw(properties)) AS member FROM (${selectSample(owner)})`
  const rows = await select(
    `SELECT name, groupUniqArray(${TYPE_SQL}) AS types, min(match(json, ${quoteString(TIME_PATTERN)})) AS are_times
     FROM (SELECT member.1 AS name, member.2 AS json FROM (${members})) WHERE json != 'null' AND lengthUTF8(name) <= ${MAX_PROPERTY_NAME_CHARACTERS}
     GROUP BY name ORDER BY count() DESC, name LIMIT ${MAX_NAMES}`,
  )
  return rows.map(([name, types, areTimes]) => ({
    name: name as string,
    type: toType(types as readonly string[], TYPES, Number(areTimes) === 1),
  }))
}

const selectSample = (owner: PropertyOwner): string => {
  if (owner.of === 'person') return selectNewest('persons', 'TRUE')
  if (owner.of === 'group') return selectNewest('groups', `group_type = ${quoteString(owner.type)}`)
  const frequent = `SELECT event FROM events GROUP BY event ORDER BY count() DESC, event LIMIT ${MAX_SAMPLED_EVENTS}`
  return (
    `SELECT properties FROM events WHERE event IN (${frequent}) ` +
    `ORDER BY timestamp DESC LIMIT ${MAX_SAMPLE_PER_EVENT} BY event`
  )
}

const selectNewest = (table: 'persons' | 'groups', condition: string): string =>
  `SELECT properties FROM ${table} WHERE ${condition} ORDER BY created_at DESC LIMIT ${MAX_SAMPLED_OWNERS}`
