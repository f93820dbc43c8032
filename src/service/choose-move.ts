import { checkMarkedServer, requireServer } from './choose-events.ts'
import type { EventsConfig, OnWarning } from './choose-events.ts'
import { StartError } from './data-folder.ts'
import type { DataFolder } from './data-folder.ts'
import { readEventsMark } from './events-mark.ts'
import type { CompleteCopies } from './indexer/move/move-options.ts'
import { finishMoveToClickHouse, finishMoveToFiles } from './migrate/finish-move.ts'
import { setFilesAside } from './migrate/set-files-aside.ts'
import { noop } from './noop.ts'
import type { EventsSource } from './store/events/events-source.ts'

/** Where events are moved: to the server of `--events`, or to files in the data folder. */
export type MoveTarget = 'clickhouse' | 'duckdb'

/** Where the events of a service are moved. */
export interface ChosenMove {
  readonly events: EventsSource
  /** Where they are now. Undefined when they are in `events` already. */
  readonly moveFrom: EventsSource | undefined
  /** Notes that the events are moved, when all are copied. */
  readonly finish: (copies: CompleteCopies) => void
}

/**
 * Chooses between which places the events of a locked data folder are moved. Rejects with `StartError` when the settings name no server, or
 * not that of the folder.
 */
export const chooseMove = async (
  folder: DataFolder,
  { events: url, eventsPasswordFile: passwordFile }: EventsConfig,
  target: MoveTarget,
  onWarning: OnWarning,
): Promise<ChosenMove> => {
  if (url === null) throw new StartError('Name the server with --events clickhouse://…')
  const server = { url, passwordFile }
  const isInClickHouse = readEventsMark(folder.events) !== null
  if (isInClickHouse) {
    await checkMarkedServer(folder, server, onWarning)
    // Of a move that was interrupted at its end: they are copies.
    setFilesAside(folder.events)
  } else if (target === 'clickhouse') await requireServer(server)
  const events = target === 'clickhouse' ? server : folder.events
  if (isInClickHouse === (target === 'clickhouse')) {
    onWarning(`The events are in ${PLACES[target]} already. ${ADVICE[target]}`)
    return { events, moveFrom: undefined, finish: noop }
  }
  return {
    events,
    moveFrom: target === 'clickhouse' ? folder.events : server,
    finish(copies) {
      if (target === 'clickhouse') finishMoveToClickHouse(folder.events, url)
      else finishMoveToFiles(folder.events, copies.projects)
      onWarning(
        `${copies.events} events were copied to ${PLACES[target]} and compared, and are used from there. ${ADVICE[target]}`,
      )
    },
  }
}

const PLACES: Readonly<Record<MoveTarget, string>> = { clickhouse: 'ClickHouse', duckdb: 'files in the data folder' }

const ADVICE: Readonly<Record<MoveTarget, string>> = {
  clickhouse: 'The service goes on; from the next start on, run "serve" with --events.',
  duckdb: 'The service goes on; from the next start on, run "serve" without --events.',
}
