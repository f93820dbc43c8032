import { bind, quoteNumber } from '../../../../insight/filter/sql/bind.ts'
import { duckDbDialect } from '../../../../insight/filter/sql/duckdb-dialect.ts'
import { writeNumber } from '../../../../insight/filter/sql/order.ts'
import { writeDateRange, writeTime } from '../../../../insight/filter/sql/write-date-range.ts'
import { quoteString } from '../../../../sql/quote.ts'
import { PERSON_NUMBER_COLUMN } from '../event-table/select-events.ts'
import type { Engine } from '../../question/engine.ts'

/** SQL for a number of the person of an event, from 0. The store adds this column to `events` for its own SELECTs. */
export const PERSON_NUMBER = `events.${PERSON_NUMBER_COLUMN}`

export const duckDbEngine: Engine = {
  ...duckDbDialect,
  time: writeTime,
  milliseconds: (time) => `epoch_ms(${time})`,
  dateRange: (range) => writeDateRange(range),
  divide: (dividend, divisor) => `${dividend} // ${divisor}`,
  byteLength: (text) => `strlen(${text})`,
  cutText: (text, characters) => `left(${text}, ${characters})`,
  toNumber: writeNumber,
  idText: (id) => `${id}::VARCHAR`,
  // Their order is that of their texts.
  idOrder: (id) => id,
  ofFirstEvent: (expression) => `arg_min(${expression}, (events.timestamp, events.uuid))`,
  some: (condition) => `bool_or(${condition})`,
  contains: (text, part) => `contains(lower(${text}), ${part})`,
  selectIds: (ids, areUuids) => ({
    sql: `SELECT unnest($ids::VARCHAR::JSON::VARCHAR[])::${areUuids ? 'UUID' : 'VARCHAR'} AS actor`,
    parameters: { ids: JSON.stringify(ids) },
  }),
  cutUrl: (text) => `rtrim(${text}, '/?#')`,
  bind,
  quoteNumber,
  nullText: 'NULL::VARCHAR',
  joinPersons: 'LEFT JOIN persons AS person ON person.id = events.person_id',
  joinGroups: (name, type, key) =>
    `LEFT JOIN groups AS ${name} ON ${name}.group_type = ${quoteString(type)} AND ${name}.group_key = ${key}`,
  bindString(value, parameters) {
    const name = `value_${Object.keys(parameters).length}`
    parameters[name] = value
    return `$${name}::VARCHAR`
  },
  personKey: PERSON_NUMBER,
}
