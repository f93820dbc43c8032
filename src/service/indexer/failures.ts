import { fileFault } from '../store/sqlite/file-fault.ts'
import { StoreFileError } from '../store/events/store-file-error.ts'

/** What keeps events from being stored, told once for each change. */
export interface Failures {
  /** Says what stands in the way under a name, or with null that nothing does any more. */
  set(name: string, reason: string | null): void
  has(name: string): boolean
}

/** Tells the oldest of the reasons that hold, or null when none does, whenever that changes. */
export const createFailures = (tell: (reason: string | null) => void): Failures => {
  const reasons = new Map<string, string>()
  let told: string | null = null
  return {
    has: (name) => reasons.has(name),
    set(name, reason) {
      if (reason === null) reasons.delete(name)
      else reasons.set(name, reason)
      const [first = null] = reasons.values()
      if (first !== told) tell(first)
      told = first
    },
  }
}

/** What an operator is told about events of a project that cannot be stored, with the way out where one is known. */
export const storeFailure = (projectId: number, file: string, metadataFile: string, error: unknown): string => {
  const what = `The store of project ${projectId} does not take events: ${messageOf(error)}`
  if (error instanceof StoreFileError) return storeFileFailure(projectId, error.file, error)
  if (isNoRoom(error)) return `${what}. ${WHEN_THERE_IS_ROOM}`
  const fault = fileFault(error)
  if (fault === 'damaged')
    return `${what}. The metadata ${metadataFile} is damaged: stop the service and start it again, which tells the way out.`
  if (fault !== null) return `${what} (${metadataFile}). ${TRIED_AGAIN}`
  return isDamage(error) ? damagedStore(projectId, file, error, STOP_FIRST) : what
}

/** As `storeFailure`, for a store that could not be opened. */
export const storeFileFailure = (projectId: number, file: string, error: unknown): string => {
  if (isNoRoom(error))
    return `The store of project ${projectId} cannot be opened: ${messageOf(error)}. ${WHEN_THERE_IS_ROOM}`
  if (isDamage(error) || fileFault(error) === 'damaged')
    return damagedStore(projectId, file, error, 'The service may go on running')
  return `The store of project ${projectId} cannot be opened: ${messageOf(error)}`
}

/** As `storeFailure`, for a query that met a damaged part; null for a query that failed by anything else. */
export const queryFailure = (projectId: number, file: string, error: unknown): string | null =>
  isDamage(error) ? damagedStore(projectId, file, error, STOP_FIRST) : null

/** What an operator is told about an inbox that the indexer cannot read. */
export const inboxFailure = (file: string, error: unknown): string => {
  const what = `The inbox ${file} cannot be read: ${messageOf(error)}.`
  if (fileFault(error) !== 'damaged') return `${what} ${TRIED_AGAIN}`
  return `${what} It is damaged; what it holds is kept: stop the service and start it again, which tells the way out.`
}

/** The way out for an operator where a row was set aside because it kills the process. */
export const whenSetAside = (file: string): string =>
  `Its body is kept in the table internal.rejected of ${file}. To have it stored, stop the service, read it there with DuckDB, ` +
  'start the service with more memory and send it to /batch/ once more: events that have a uuid are not stored twice.'

const WHEN_THERE_IS_ROOM = 'Events wait in the inbox and go in by themselves once the disk has room.'
const TRIED_AGAIN = 'It is tried again by itself.'
const STOP_FIRST = 'Stop the service first'

const damagedStore = (projectId: number, file: string, error: unknown, first: string): string => {
  const what = messageOf(error)
  // The file of uuids is made anew from what the store then holds.
  const away = /\bWAL\b/.test(what)
    ? `move ${file}.wal and ${file}.uuids away, which loses what was stored last`
    : `move it away, together with all files beside it whose names begin with its own, and put the file of your last backup in its place, or none to go on with an empty store`
  return `The store file ${file} of project ${projectId} is damaged: ${what}. New events wait in the inbox. ${first}: ${away}. What waits goes in then.`
}

/** What DuckDB says of bytes that it did not write so; it has no code for it. */
const isDamage = (error: unknown): boolean =>
  /corrupt|checksum|not a valid DuckDB database|could not read enough bytes|failure while replaying wal|deserialize|serialization error/i.test(
    allMessages(error),
  )

const isNoRoom = (error: unknown): boolean =>
  fileFault(error) === 'full' || /no space left on device|disk is full/i.test(allMessages(error))

const allMessages = (error: unknown): string => {
  const messages: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) messages.push(cause.message)
  return messages.join('\n')
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ').replace(/\.$/, '')
