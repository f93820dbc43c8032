import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { StartError } from './data-folder.ts'
import type { DataFolder } from './data-folder.ts'
import { checkServer } from './store/events/clickhouse/check-server.ts'
import type { EventsSource } from './store/events/events-source.ts'

const markOf = (events: string): string => join(events, 'in-clickhouse')

/** Whether the events of a data folder are in ClickHouse, by its folder of event stores. */
export const isInClickHouse = (events: string): boolean => existsSync(markOf(events))

/**
 * Chooses the place of the events of a locked data folder by the settings. Rejects with `StartError` when the folder's events are in another
 * kind of place, and when ClickHouse cannot be used. A folder that has used ClickHouse before starts while it is away: flags are served, and
 * events wait in the inbox.
 *
 * @param onWarning Called with a sentence when ClickHouse is away.
 */
export const chooseEvents = async (
  { path, events: folder }: DataFolder,
  { events: url, eventsPasswordFile: passwordFile }: Pick<Config, 'events' | 'eventsPasswordFile'>,
  onWarning: (message: string) => void,
): Promise<EventsSource> => {
  const isMarked = isInClickHouse(folder)
  if (url === null) {
    if (!isMarked) return folder
    throw new StartError(
      `The events of the data folder ${path} are in ClickHouse; set --events as before, or choose another --data-folder.`,
    )
  }
  if (readdirSync(folder).some((name) => name.endsWith('.duckdb')))
    throw new StartError(
      `The data folder ${path} has events of its own, in ${folder}; start without --events, or choose another --data-folder.`,
    )
  const source = { url, passwordFile }
  const reason = await checkServer(source)
  if (reason !== null && !isMarked) throw new StartError(`${reason} Check --events and the server, then start again.`)
  if (reason !== null) onWarning(`${reason} Events wait in the inbox until it can be used.`)
  if (!isMarked) writeFileSync(markOf(folder), '', { mode: 0o600 })
  return source
}
