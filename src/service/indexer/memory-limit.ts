import { spawnSync } from 'node:child_process'
import type { IndexerSettings } from './protocol.ts'

/** Megabytes that queries may grow the process by before they are ended (`MAX_GROWTH_BYTES` of `run-query.ts`). */
const QUERY_GROWTH_MB = 1024

/**
 * Megabytes for the rest of the process: code, threads, the heaps of JavaScript, and memory that DuckDB keeps after use. The largest bodies
 * that the service takes needed 1,000 of them.
 */
const PROCESS_MB = 1024

/**
 * Megabytes of private writable memory that the indexer process may have. Ordinary work needs less than half of it. The limit ends what grows
 * faster than `runQuery` can look at it.
 */
export const memoryLimitOf = ({ memoryMb, maxOpenStores }: IndexerSettings): number =>
  memoryMb * maxOpenStores + QUERY_GROWTH_MB + PROCESS_MB

/** A program with its first arguments, which runs the command that follows them. */
interface Launcher {
  readonly program: string
  readonly args: readonly string[]
}

const SHELL = '/bin/sh'

/** Exit codes of a shell that cannot run a program, or cannot find it. */
const SHELL_FAILURES: ReadonlySet<number | null> = new Set([126, 127])

/**
 * How to start Node with a limit of memory that the operating system keeps (RLIMIT_DATA). The shell replaces itself by Node, which has the
 * pid and the IPC channel of the shell.
 */
export const createLimitedLauncher = (limitMb: number): Launcher => ({
  program: SHELL,
  args: ['-c', `ulimit -d ${limitMb * 1024}; exec "$0" "$@"`, process.execPath],
})

/** Whether an exit code says that the shell of the launcher could not run Node. */
export const isLauncherFailure = (code: number | null): boolean => SHELL_FAILURES.has(code)

/**
 * Why the operating system cannot keep such a limit; null if it can. Linux counts all private writable memory, other systems only a part
 * of it (https://man7.org/linux/man-pages/man2/getrlimit.2.html).
 */
export const findLimitObstacle = (limitMb: number): string | null => {
  if (process.platform !== 'linux') return `${process.platform} does not limit it`
  const { error, status, stderr } = spawnSync(SHELL, ['-c', `ulimit -d ${limitMb * 1024}`], { encoding: 'utf8' })
  if (error !== undefined) return error.message
  return status === 0 ? null : stderr.trim()
}
