import type { Config } from './config.ts'
import { StartError } from './data-folder.ts'
import type { DataFolder } from './data-folder.ts'
import { eventsMarkFile, placeOfUrl, readEventsMark, writeEventsMark } from './events-mark.ts'
import type { EventsPlace } from './events-mark.ts'
import { checkServer } from './store/events/clickhouse/check-server.ts'
import type { ClickHouseSource } from './store/events/clickhouse/clickhouse-source.ts'
import type { EventsSource } from './store/events/events-source.ts'
import { listEventFiles } from './store/events/list-event-files.ts'

/** The settings of the place of the events. */
export type EventsConfig = Pick<Config, 'events' | 'eventsPasswordFile'>

/** Receives a sentence when ClickHouse is away, and when it is on another host than before. */
export type OnWarning = (message: string) => void

/**
 * Chooses the place of the events of a locked data folder by the settings. Rejects with `StartError` when the folder's events are in another
 * kind of place, or in databases of another name, and when ClickHouse cannot be used. A folder that has used ClickHouse before starts while
 * it is away: flags are served, and events wait in the inbox.
 */
export const chooseEvents = async (
  folder: DataFolder,
  { events: url, eventsPasswordFile: passwordFile }: EventsConfig,
  onWarning: OnWarning,
): Promise<EventsSource> => {
  const { path, events } = folder
  const mark = readEventsMark(events)
  if (url === null) {
    if (mark === null) return events
    throw new StartError(
      `The events of the data folder ${path} are in ClickHouse; set --events as before, move them with "waymark-service migrate", or ` +
        'choose another --data-folder.',
    )
  }
  if (listEventFiles(events).length > 0)
    throw new StartError(
      mark === null
        ? `The data folder ${path} has events of its own, in ${events}; start without --events, move them with "waymark-service migrate", ` +
            'or choose another --data-folder.'
        : `The events of the data folder ${path} are both in ClickHouse and in ${events}: a migration was interrupted. Run ` +
            '"waymark-service migrate" again.',
    )
  const source = { url, passwordFile }
  if (mark === null) {
    await requireServer(source)
    writeEventsMark(events, placeOfUrl(url))
  } else await checkMarkedServer(folder, source, onWarning)
  return source
}

/**
 * The place of the events that a front has chosen for a data folder, for its indexer. Throws `StartError` when the settings of the indexer are
 * others.
 */
export const findChosenEvents = (
  { path, events }: DataFolder,
  { events: url, eventsPasswordFile: passwordFile }: EventsConfig,
): EventsSource => {
  const mark = readEventsMark(events)
  const isSame =
    url === null || mark === null ? url === mark : mark === 'unknown' || mark.prefix === placeOfUrl(url).prefix
  if (!isSame)
    throw new StartError(
      `The front on the data folder ${path} has other settings: set --events as there, and start it first.`,
    )
  return url === null ? events : { url, passwordFile }
}

/** Requires a server that can be used now. */
export const requireServer = async (source: ClickHouseSource): Promise<void> => {
  const reason = await checkServer(source)
  if (reason !== null) throw new StartError(`${reason} Check --events and the server, then start again.`)
}

/** Checks the server of a folder whose events are in ClickHouse. It may be away. */
export const checkMarkedServer = async (
  { path, events }: DataFolder,
  source: ClickHouseSource,
  onWarning: OnWarning,
): Promise<void> => {
  const reason = await checkServer(source)
  const place = placeOfUrl(source.url)
  const mark = readEventsMark(events)
  if (mark === null || mark === 'unknown') writeEventsMark(events, place)
  else if (mark.prefix !== place.prefix)
    throw new StartError(
      `The events of the data folder ${path} are in ${describe(mark)}, and --events names ${describe(place)}. Set --events as before, or ` +
        `choose another --data-folder. If you have renamed the databases, remove ${eventsMarkFile(events)}.`,
    )
  else if (mark.host !== place.host) {
    onWarning(
      `The events of the data folder ${path} were in ${describe(mark)}; they are expected in ${describe(place)}.`,
    )
    writeEventsMark(events, place)
  }
  if (reason !== null) onWarning(`${reason} Events wait in the inbox until it can be used.`)
}

const describe = ({ host, prefix }: EventsPlace): string => `the databases ${prefix}_… on ${host}`
