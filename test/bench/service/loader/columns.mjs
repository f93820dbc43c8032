import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { writeBooleans, writeNumbers, writeStrings, writeTimestamps, writeUuids } from './vectors.mjs'

const { BOOLEAN, DOUBLE, TIMESTAMP, TIMESTAMPTZ, UUID, VARCHAR } = createRequire(
  new URL('../../../../src/service/package.json', import.meta.url),
)('@duckdb/node-api')

/** By the type that a query reports. Other types are written as strings. */
const KINDS = {
  UUID: { type: UUID, write: writeUuids },
  BOOLEAN: { type: BOOLEAN, write: writeBooleans },
  DOUBLE: { type: DOUBLE, write: writeNumbers },
  TIMESTAMP: { type: TIMESTAMP, write: writeTimestamps },
  'TIMESTAMP WITH TIME ZONE': { type: TIMESTAMPTZ, write: writeTimestamps },
  VARCHAR: { type: VARCHAR, write: writeStrings },
}

/**
 * Creates the writers of a table with the columns of the view `events`. `properties` gets those that have no column of their own: a view
 * could put them together again.
 *
 * @param {readonly { name: string, type: string }[]} columns
 */
export const createColumns = (columns) => {
  const propertyColumns = new Set(columns.map(({ name }) => name).filter((name) => !(name in READERS)))
  const readers = { ...READERS, properties: createRestReader(propertyColumns) }
  return columns.map(({ name, type: typeName }) => {
    const kind = KINDS[typeName] ?? KINDS.VARCHAR
    const read = readers[name] ?? createPropertyReader(name, kind === KINDS.VARCHAR)
    const sqlType = typeName in KINDS ? typeName : 'VARCHAR'
    return {
      type: kind.type,
      definition: `"${name}" ${sqlType}${name === 'properties' ? ' USING COMPRESSION zstd' : ''}`,
      write: (chunk, index, events) => kind.write(chunk, index, events.map(read)),
    }
  })
}

const READERS = {
  uuid: ({ uuid }) => uuid,
  event: ({ event }) => event,
  distinct_id: ({ distinct_id }) => distinct_id,
  person_id: ({ distinct_id }) => derivePersonId(distinct_id),
  timestamp: ({ timestamp }) => Date.parse(timestamp),
  received_at: ({ received_at }) => received_at,
  historical: () => false,
  properties: null,
}

const createRestReader =
  (propertyColumns) =>
  ({ properties }) => {
    const rest = {}
    for (const name in properties) if (!propertyColumns.has(name)) rest[name] = properties[name]
    return JSON.stringify(rest)
  }

const createPropertyReader =
  (name, isString) =>
  ({ properties }) => {
    const value = properties[name]
    if (value === undefined || value === null) return null
    if (!isString || typeof value === 'string') return value
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }

const UUID_PATTERN = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** Any id of 128 bits that depends on the distinct id alone. */
const derivePersonId = (distinctId) => {
  if (UUID_PATTERN.test(distinctId)) return distinctId
  const hex = createHash('md5').update(distinctId).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
