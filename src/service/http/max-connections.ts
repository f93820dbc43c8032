/** Maximum of open connections, if the system allows as many. Each takes about 30 KB. */
const MAX_CONNECTIONS = 8192

/** File descriptors left for the databases, the indexer process, threads, and files that are served. */
const RESERVED_DESCRIPTORS = 256

/**
 * Computes how many connections a server may have, so that clients never take the last file descriptor of the process.
 * Without one, no database grows and no process starts.
 *
 * @param openFiles File descriptors the process may have, sockets included; null for no known limit.
 */
export const maxConnections = (openFiles: number | null): number =>
  openFiles === null
    ? MAX_CONNECTIONS
    : Math.min(MAX_CONNECTIONS, Math.max(openFiles - RESERVED_DESCRIPTORS, Math.floor(openFiles / 2)))

/** Reads how many file descriptors this process may have (`ulimit -n`; Node raises it to the hard limit). Null when unknown. */
export const readOpenFilesLimit = (): number | null => {
  const report = process.report?.getReport() as { userLimits?: { open_files?: { soft?: unknown } } } | undefined
  const limit = report?.userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : null
}
