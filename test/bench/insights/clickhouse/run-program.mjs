import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atExit } from '../../at-exit.mjs'
import { installPackages } from '../../../support/install-packages.mjs'

/** @import { ProgramTask } from './program.mjs' */

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))

/** Room for the answers. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

/**
 * Does something with ClickHouse in a process of its own, and resolves to what it has printed.
 *
 * @param {string} folder Of ClickHouse's data.
 * @param {ProgramTask} task
 */
export const runClickHouse = async (folder, task) => {
  const packages = await installPackages('clickhouse', new URL('packages.json', import.meta.url))
  const args = [PROGRAM, packages, folder, JSON.stringify(task)]
  const running = promisify(execFile)(process.execPath, args, { maxBuffer: MAX_OUTPUT_BYTES })
  const forget = atExit(() => running.child.kill('SIGKILL'))
  try {
    return JSON.parse((await running).stdout)
  } finally {
    forget()
  }
}
