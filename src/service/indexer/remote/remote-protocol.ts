import { join } from 'node:path'
import { StartError } from '../../data-folder.ts'
import type { IndexerStatus } from '../indexer.ts'
import type { FromIndexer, ToIndexer } from '../protocol.ts'

// The messages between a front and an indexer that were started by themselves (`--role`) on one data folder. Both are of the same installed
// version.

/** Messages from the front. */
export type ToRemoteIndexer = Extract<ToIndexer, { type: 'wake' | 'query' | 'cancel' }>

/** Messages to the front. */
export type FromRemoteIndexer =
  | Extract<FromIndexer, { type: 'store_ahead' | 'query_progress' | 'query_result' | 'query_error' }>
  /** The first message, and then one at each change. */
  | { readonly type: 'status'; readonly status: IndexerStatus }

/** Longest path of a socket, by the least bound of the systems that have them (macOS: 104 bytes with the zero at the end). */
const MAX_SOCKET_PATH_BYTES = 103

/** The path of the socket on which the indexer of a data folder listens. Throws `StartError`. */
export const indexerSocketPath = (dataFolder: string): string => {
  const path = join(dataFolder, 'indexer.sock')
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path
  throw new StartError(
    `The path ${path} is too long for a socket (${MAX_SOCKET_PATH_BYTES} bytes at most); choose a shorter --data-folder, or start without --role.`,
  )
}
