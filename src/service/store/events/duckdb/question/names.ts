import { MAX_EVENT_NAME_CHARACTERS, MAX_PROPERTY_NAME_CHARACTERS } from '../../../../../wire/bounds.ts'
import type { EventName, PropertyName, PropertyOwner, PropertyType } from '../../../../insight/question/names.ts'
import { quoteString } from '../../../../sql/quote.ts'
import {
  MAX_NAMES,
  MAX_SAMPLE_PER_EVENT,
  MAX_SAMPLED_EVENTS,
  MAX_SAMPLED_OWNERS,
  readEventNames,
  TIME_PATTERN,
  toType,
} from '../../question/read-names.ts'
import type { Select } from '../../question/select.ts'

/** Reads the names of events, most frequent first. */
export const answerEventNames = async (select: Select): Promise<readonly EventName[]> =>
  readEventNames(
    await select(
      // Earlier versions stored longer names. They are cut once the events are counted, so that this costs nothing per event.
      `SELECT left(event, ${MAX_EVENT_NAME_CHARACTERS}) AS name, sum(uses)::BIGINT AS uses, epoch_ms(min(first)), epoch_ms(max(last))
       FROM (SELECT event, count(*) AS uses, min(timestamp) AS first, max(timestamp) AS last FROM events GROUP BY event)
       GROUP BY name ORDER BY uses DESC, name LIMIT ${MAX_NAMES}`,
    ),
  )

/** Reads the names of properties, those that most of the newest owners have first. */
export const answerPropertyNames = async (owner: PropertyOwner, select: Select): Promise<readonly PropertyName[]> => {
  const rows = await select(
    `SELECT member.key, list(DISTINCT member.type) AS types, bool_and(regexp_matches(member.value::VARCHAR, '${TIME_PATTERN}')) AS are_times
     FROM (${selectSample(owner)}) AS sample, json_each(sample.properties) AS member
     WHERE member.type <> 'NULL' AND length(member.key) <= ${MAX_PROPERTY_NAME_CHARACTERS}
     GROUP BY member.key ORDER BY count(*) DESC, member.key LIMIT ${MAX_NAMES}`,
  )
  return rows.map(([name, types, areTimes]) => ({
    name: name as string,
    type: toType(types as readonly string[], TYPES, areTimes === true),
  }))
}

const selectSample = (owner: PropertyOwner): string => {
  if (owner.of === 'person') return selectNewest('persons', 'TRUE')
  if (owner.of === 'group') return selectNewest('groups', `group_type = ${quoteString(owner.type)}`)
  const frequent = `SELECT event FROM events GROUP BY event ORDER BY count(*) DESC, event LIMIT ${MAX_SAMPLED_EVENTS}`
  const newest = `SELECT max_by(uuid, timestamp, ${MAX_SAMPLE_PER_EVENT}) AS uuids FROM events WHERE event IN (${frequent}) GROUP BY event`
  return `SELECT properties FROM events WHERE uuid IN (SELECT unnest(uuids) FROM (${newest}))`
}

/** The properties of the newest owners. Their times are sorted alone, so that the properties of all others are not read. */
const selectNewest = (table: 'persons' | 'groups', condition: string): string => {
  const times = `SELECT created_at FROM ${table} WHERE ${condition} ORDER BY created_at DESC LIMIT ${MAX_SAMPLED_OWNERS}`
  return (
    `SELECT properties FROM ${table} WHERE ${condition} AND created_at >= (SELECT min(created_at) FROM (${times})) ` +
    `LIMIT ${MAX_SAMPLED_OWNERS}`
  )
}

/** By DuckDB's names of the types of JSON. */
const TYPES: Readonly<Record<string, PropertyType>> = {
  VARCHAR: 'text',
  BOOLEAN: 'boolean',
  BIGINT: 'number',
  UBIGINT: 'number',
  HUGEINT: 'number',
  DOUBLE: 'number',
}
