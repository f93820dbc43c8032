import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ClickHouseOptions } from '../../../src/service/store/events/clickhouse/connect.ts'
import type { Fault } from './faults.mjs'

/** The test server in a process of its own. */
export interface TestClickHouse {
  /** With the name and the password of the administrator. */
  readonly options: Omit<ClickHouseOptions, 'databasePrefix'>
  /** Makes statements fail until the next call. */
  readonly setFault: (fault: Fault) => Promise<void>
  /** Changes the password of the administrator. */
  readonly changePassword: (password: string) => Promise<void>
  /** Ends the process, as a power cut would. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same port, with the same data. */
  readonly restart: () => Promise<void>
  /** Ends the process, and deletes its data. */
  readonly cleanUp: () => Promise<void>
}

const PROGRAM = fileURLToPath(new URL('server.mjs', import.meta.url))
const PASSWORD = 'secret of the administrator'

const spawnServer = async (folder: string, port: number): Promise<{ child: ChildProcess; port: number }> => {
  const child = spawn(process.execPath, [PROGRAM, folder, String(port), PASSWORD], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // chDB reads the rows of an INSERT from here, too.
  child.stdin.end()
  const [line] = await once(createInterface(child.stdout), 'line')
  return { child, port: Number(line) }
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

export const startClickHouse = async (): Promise<TestClickHouse> => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-clickhouse-'))
  let { child, port } = await spawnServer(folder, 0)
  return {
    options: { url: `http://127.0.0.1:${port}`, username: 'default', password: PASSWORD },
    async setFault(fault) {
      await fetch(`http://127.0.0.1:${port}/fault`, { method: 'POST', body: JSON.stringify(fault) })
    },
    async changePassword(password) {
      await fetch(`http://127.0.0.1:${port}/password`, { method: 'POST', body: password })
    },
    kill: () => end(child),
    async restart() {
      await end(child)
      ;({ child, port } = await spawnServer(folder, port))
    },
    async cleanUp() {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
