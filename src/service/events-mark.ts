import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nullIfMissing } from './null-if-missing.ts'
import { parseClickHouseUrl } from './store/events/clickhouse/clickhouse-source.ts'

/** The databases in ClickHouse that have the events of a data folder. */
export interface EventsPlace {
  /** Host and port. */
  readonly host: string
  /** See `ClickHouseOptions.databasePrefix`. */
  readonly prefix: string
}

/** File in the folder of the events that says that these are in ClickHouse, and where: `host:8123/prefix`. */
export const eventsMarkFile = (eventsFolder: string): string => join(eventsFolder, 'in-clickhouse')

/** Reads the file. Null without one; `unknown` for the empty one of an earlier release. */
export const readEventsMark = (eventsFolder: string): EventsPlace | 'unknown' | null => {
  const content = nullIfMissing(() => readFileSync(eventsMarkFile(eventsFolder), 'utf8'))
  if (content === null) return null
  const [host, prefix] = content.trim().split('/')
  return host === undefined || prefix === undefined ? 'unknown' : { host, prefix }
}

export const writeEventsMark = (eventsFolder: string, { host, prefix }: EventsPlace): void =>
  writeFileSync(eventsMarkFile(eventsFolder), `${host}/${prefix}\n`, { mode: 0o600 })

/** The place that a valid URL of `--events` names. */
export const placeOfUrl = (url: string): EventsPlace => {
  const { url: server, databasePrefix } = parseClickHouseUrl(url)
  return { host: new URL(server).host, prefix: databasePrefix }
}
