import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atExit } from '../at-exit.mjs'
import { createTemporaryFolder } from '../temporary-folder.mjs'

const PROGRAM = fileURLToPath(new URL('loader/program.mjs', import.meta.url))

/**
 * Loads the events of a load file into a new DuckDB file, in a process of its own.
 *
 * @param {string} loadPath
 * @param {readonly { name: string, type: string }[]} columns Those of the view `events`.
 */
export const runLoader = async (loadPath, columns) => {
  const folder = createTemporaryFolder()
  try {
    const file = join(folder.path, 'events.duckdb')
    const running = promisify(execFile)(process.execPath, [PROGRAM, loadPath, file, JSON.stringify(columns)])
    const forget = atExit(() => running.child.kill('SIGKILL'))
    const { stdout } = await running
    forget()
    const { eventCount, durationMs, cpuMicroseconds, peakMb } = JSON.parse(stdout)
    return {
      eventsPerSecond: Math.round((eventCount * 1000) / durationMs),
      cpuPerEvent: Number((cpuMicroseconds / eventCount).toFixed(1)),
      peakMb: Math.round(peakMb),
      bytesPerEvent: Math.round(statSync(file).size / eventCount),
    }
  } finally {
    folder.remove()
  }
}
