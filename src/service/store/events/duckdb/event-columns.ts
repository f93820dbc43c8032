import type { Json } from '../../../../wire/json.ts'
import type { StoredEvent } from '../event-store.ts'
import type { Column } from './append-rows.ts'
import { toWellFormedJson } from '../to-well-formed-json.ts'
import { HOT_PROPERTIES } from './hot-properties.ts'

/** The columns of `internal.events`, in the order of the table. */
export const eventColumns = (deriveOriginId: (distinctId: string) => string): Column<StoredEvent>[] => [
  { type: 'UUID', value: (event) => event.uuid },
  { type: 'VARCHAR', value: (event) => event.event },
  { type: 'VARCHAR', value: (event) => event.distinctId },
  { type: 'UUID', value: (event) => deriveOriginId(event.distinctId) },
  { type: 'TIMESTAMPTZ', value: (event) => event.timestamp },
  { type: 'TIMESTAMPTZ', value: (event) => event.receivedAt },
  { type: 'BOOLEAN', value: (event) => event.isHistorical },
  { type: 'VARCHAR', value: (event) => event.properties },
  ...HOT_PROPERTIES.map((name) => ({
    type: 'VARCHAR' as const,
    value: ({ values }: StoredEvent) => toText(values[name]),
  })),
]

/** A property as `properties->>'name'` returns it: strings without quotes, other values as JSON, null for a missing one. */
const toText = (value: Json | undefined): string | null => {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  // DuckDB writes exponents without the plus sign of JavaScript.
  return typeof value === 'number' ? String(value).replace('e+', 'e') : toWellFormedJson(value)
}
