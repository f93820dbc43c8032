/** Connections that are open at once where the system allows it. Each takes some 30 KB. */
const MOST = 8192

/** Descriptors that are left for the databases, the indexer's process, threads, and files that are served. */
const RESERVED = 256

/**
 * How many connections a server may hold, so that clients never take the last descriptor of the process: without one, no
 * database grows and no process starts.
 *
 * @param openFiles Descriptors that the process may have, sockets counted; null where there is no limit.
 */
export const mostConnections = (openFiles: number | null): number =>
  openFiles === null ? MOST : Math.min(MOST, Math.max(openFiles - RESERVED, Math.floor(openFiles / 2)))

/** Descriptors that this process may have (`ulimit -n`; Node raises it to the hard limit by itself); null where none is known. */
export const openFilesLimit = (): number | null => {
  const report = process.report?.getReport() as { userLimits?: { open_files?: { soft?: unknown } } } | undefined
  const limit = report?.userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : null
}
