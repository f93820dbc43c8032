import { readdirSync } from 'node:fs'
import type { Config } from './config.ts'
import { StartError } from './data-folder.ts'
import type { DataFolder } from './data-folder.ts'
import { eventsMarkFile, placeOfUrl, readEventsMark, writeEventsMark } from './events-mark.ts'
import type { EventsPlace } from './events-mark.ts'
import { checkServer } from './store/events/clickhouse/check-server.ts'
import type { EventsSource } from './store/events/events-source.ts'

/**
 * Chooses the place of the events of a locked data folder by the settings. Rejects with `StartError` when the folder's events are in another
 * kind of place, or in databases of another name, and when ClickHouse cannot be used. A folder that has used ClickHouse before starts while
 * it is away: flags are served, and events wait in the inbox.
 *
 * @param onWarning Called with a sentence when ClickHouse is away, and when it is on another host than before.
 */
export const chooseEvents = async (
  { path, events: folder }: DataFolder,
  { events: url, eventsPasswordFile: passwordFile }: Pick<Config, 'events' | 'eventsPasswordFile'>,
  onWarning: (message: string) => void,
): Promise<EventsSource> => {
  const marked = readEventsMark(folder)
  if (url === null) {
    if (marked === null) return folder
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
  if (reason !== null && marked === null)
    throw new StartError(`${reason} Check --events and the server, then start again.`)
  const place = placeOfUrl(url)
  if (marked === null || marked === 'unknown') writeEventsMark(folder, place)
  else if (marked.prefix !== place.prefix)
    throw new StartError(
      `The events of the data folder ${path} are in ${describe(marked)}, and --events names ${describe(place)}. Set --events as before, or ` +
        `choose another --data-folder. If you have renamed the databases, remove ${eventsMarkFile(folder)}.`,
    )
  else if (marked.host !== place.host) {
    onWarning(
      `The events of the data folder ${path} were in ${describe(marked)}; they are expected in ${describe(place)}.`,
    )
    writeEventsMark(folder, place)
  }
  if (reason !== null) onWarning(`${reason} Events wait in the inbox until it can be used.`)
  return source
}

const describe = ({ host, prefix }: EventsPlace): string => `the databases ${prefix}_… on ${host}`
