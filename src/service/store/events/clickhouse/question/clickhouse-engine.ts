import { bind, quoteNumber } from '../../../../insight/filter/clickhouse/bind.ts'
import { clickHouseDialect } from '../../../../insight/filter/clickhouse/clickhouse-dialect.ts'
import { writeNumber } from '../../../../insight/filter/clickhouse/order.ts'
import type { DateRange } from '../../../../insight/time/date-range.ts'
import { quoteString } from '../../../../sql/quote-clickhouse.ts'
import type { Engine } from '../../question/engine.ts'
import { encodeTime } from '../event-rows.ts'

/** The uuid of an event as text: uuids themselves are in another order. */
export const EVENT_UUID = 'toString(events.uuid)'

/** The time of an event in milliseconds since 1970. */
export const EVENT_TIME = 'toUnixTimestamp64Milli(events.timestamp)'

const writeTime = (milliseconds: number): string => `toDateTime64('${encodeTime(milliseconds)}', 3, 'UTC')`

const writeDateRange = ({ from, before }: DateRange): string => {
  const bounds = [
    ...(from === undefined ? [] : [`events.timestamp >= ${writeTime(from)}`]),
    ...(before === undefined ? [] : [`events.timestamp < ${writeTime(before)}`]),
  ]
  return bounds.length === 0 ? 'TRUE' : `(${bounds.join(' AND ')})`
}

/** Writes a list of strings as the rows of a SELECT. */
const unnest = (strings: readonly string[], type: 'UUID' | 'String'): string =>
  `arrayJoin(CAST([${strings.map(quoteString).join(', ')}], 'Array(${type})'))`

export const clickHouseEngine: Engine = {
  ...clickHouseDialect,
  time: writeTime,
  milliseconds: (time) => `toUnixTimestamp64Milli(${time})`,
  dateRange: writeDateRange,
  divide: (dividend, divisor) => `intDiv(${dividend}, ${divisor})`,
  byteLength: (text) => `length(${text})`,
  cutText: (text, characters) => `leftUTF8(${text}, ${characters})`,
  toNumber: writeNumber,
  idText: (id) => `toString(${id})`,
  idOrder: (id) => `toString(${id})`,
  ofFirstEvent: (expression) => `argMin(${expression}, (events.timestamp, ${EVENT_UUID}))`,
  some: (condition) => `max(${condition})`,
  contains: (text, part) => `(position(lowerUTF8(${text}), ${part}) > 0)`,
  selectIds: (ids, areUuids) => ({
    sql: `SELECT ${unnest(ids, areUuids ? 'UUID' : 'String')} AS actor`,
    parameters: {},
  }),
  cutUrl: (text) => `replaceRegexpOne(${text}, '[/?#]+$', '')`,
  bind,
  quoteNumber,
  nullText: "CAST(NULL, 'Nullable(String)')",
  joinPersons: 'LEFT ANY JOIN persons AS person ON person.id = events.person_id',
  joinGroups: (name, type, key) =>
    `LEFT ANY JOIN (SELECT group_key, properties FROM groups WHERE group_type = ${quoteString(type)}) AS ${name} ` +
    `ON ${name}.group_key = ${key}`,
  bindString: quoteString,
  personKey: 'events.person_id',
}
