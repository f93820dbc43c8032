import { classifyFileError } from '../store/sqlite/classify-file-error.ts'
import type { StoredRequests } from '../store/inbox/inbox.ts'
import { StoreFileError } from '../store/events/store-file-error.ts'
import { StoreServerError } from '../store/events/store-server-error.ts'

/** The message for an operator when events of a project cannot be stored. It names the remedy if one is known. */
export const describeStoreFailure = (projectId: number, file: string, metadata: string, error: unknown): string => {
  const summary = `Events of project ${projectId} cannot be stored: ${messageOf(error)}`
  if (error instanceof StoreServerError) return `${summary}. ${WAITS_FOR_SERVER}`
  if (error instanceof StoreFileError) return describeOpenFailure(projectId, error.file, error)
  if (isDiskFull(error)) return `${summary}. ${WAITS_FOR_SPACE}`
  const fault = classifyFileError(error)
  if (fault === 'damaged') return `${summary}. The metadata ${metadata} is damaged: ${RESTART_FOR_REPAIR}`
  if (fault !== null) return `${summary} (${metadata}). ${RETRIED}`
  return isDamage(error) ? describeDamagedStore(projectId, file, error, STOP_FIRST) : summary
}

/** Like `describeStoreFailure`, for a store that could not be opened. */
export const describeOpenFailure = (projectId: number, file: string, error: unknown): string => {
  const summary = `The store of project ${projectId} cannot be opened: ${messageOf(error)}`
  if (error instanceof StoreServerError) return `${summary}. ${WAITS_FOR_SERVER}`
  if (isDiskFull(error)) return `${summary}. ${WAITS_FOR_SPACE}`
  if (classifyFileError(error) === 'replaced') return `${summary}. ${PUT_BACK}`
  if (isDamage(error) || classifyFileError(error) === 'damaged')
    return describeDamagedStore(projectId, file, error, WHILE_RUNNING)
  return summary
}

/** Like `describeStoreFailure`, for a query that read damaged data; null when the query failed for another reason. */
export const describeQueryFailure = (projectId: number, file: string, error: unknown): string | null =>
  isDamage(error) ? describeDamagedStore(projectId, file, error, STOP_FIRST) : null

/** The message for an operator when the indexer cannot read the inbox. */
export const describeInboxFailure = (file: string, error: unknown): string => {
  const summary = `The inbox ${file} cannot be read: ${messageOf(error)}.`
  if (classifyFileError(error) !== 'damaged') return `${summary} ${RETRIED}`
  return `${summary} The file is damaged; the rows in it are not deleted: ${RESTART_FOR_REPAIR}`
}

/**
 * The message for an operator when a store does not have requests that it had.
 *
 * @param lost.row The last row that it has; 0 if it is empty or missing.
 */
export const describeLostRequests = (
  projectId: number,
  place: string,
  { row, requests, isExact, lastRow }: StoredRequests & { readonly row: number },
): string => {
  const number = `${isExact ? '' : 'at least '}${requests} ${requests === 1 ? 'request' : 'requests'}`
  return (
    `The store ${place} of project ${projectId} is older than what was stored in it: ${number} after row ${row}, up to row ${lastRow}, ` +
    'are missing with their events. The end of its write-ahead log was lost, or an older or no file is in its place. If you have a newer ' +
    'backup, stop the service and restore it; otherwise these events are lost. New events are stored.'
  )
}

const WAITS_FOR_SPACE = 'Events wait in the inbox; they are stored automatically once the disk has free space.'
const WAITS_FOR_SERVER = 'Events wait in the inbox; they are stored automatically once the server takes them.'
const PUT_BACK =
  'New events wait in the inbox. Stop the service and put the file, or a backup of it, in its place. A start without it begins an empty store.'
const RETRIED = 'The service retries automatically.'
const STOP_FIRST = 'Stop the service, then'
const WHILE_RUNNING = 'The service can keep running. To repair the store,'
const RESTART_FOR_REPAIR = 'stop the service and start it again; the start prints how to repair the file.'

const describeDamagedStore = (
  projectId: number,
  file: string,
  error: unknown,
  firstStep: keyof typeof REPLACEMENT,
): string => {
  const cause = messageOf(error)
  // The file with the suffix `.uuids` may be moved away: a store without it derives the uuids again from its events.
  const remedy = /\bWAL\b/.test(cause)
    ? `move ${file}.wal and ${file}.uuids away, which loses the events stored last`
    : REPLACEMENT[firstStep]
  return (
    `The store file ${file} of project ${projectId} is damaged: ${cause}. New events wait in the inbox. ` +
    `${firstStep} ${remedy}. The waiting events are stored after that.`
  )
}

/** How a damaged file is replaced. A running service must never see the moment in which there is none. */
const REPLACEMENT = {
  [STOP_FIRST]:
    'move the file away, together with all files beside it whose names begin with its name. Put the file of your last ' +
    'backup in its place, or continue without a file and with an empty store',
  [WHILE_RUNNING]:
    'move away all files beside it whose names begin with its name, and rename (mv) a copy of the file of your last backup onto it. ' +
    'Without a backup, stop the service and move the file away too; the next start begins an empty store',
} as const

/** Parts of DuckDB's messages about damaged files, for which it has no error code. */
const DAMAGE_MESSAGES: readonly RegExp[] = [
  /corrupt/i,
  /checksum/i,
  /not a valid DuckDB database/i,
  /could not read enough bytes/i,
  /failure while replaying wal/i,
  /deserialize/i,
  /serialization error/i,
]

const isDamage = (error: unknown): boolean => {
  const messages = allMessages(error)
  return DAMAGE_MESSAGES.some((pattern) => pattern.test(messages))
}

const isDiskFull = (error: unknown): boolean =>
  classifyFileError(error) === 'full' || /no space left on device|disk is full/i.test(allMessages(error))

const allMessages = (error: unknown): string => {
  const messages: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) messages.push(cause.message)
  return messages.join('\n')
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ').replace(/\.$/, '')
