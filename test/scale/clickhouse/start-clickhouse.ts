import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseClickHouseUrl } from '../../../src/service/store/events/clickhouse/clickhouse-source.ts'
import { connectServer } from '../../../src/service/store/events/clickhouse/connect.ts'
import type { ClickHouseOptions } from '../../../src/service/store/events/clickhouse/connect.ts'
import type { Fault } from './faults.mjs'
import { spawnServer } from './spawn-server.mjs'

/** The URL of a ClickHouse server that runs already, for the tests that need no faults. Its user must have all rights. */
const GIVEN_URL = process.env['WAYMARK_CLICKHOUSE_URL']

/** Whether the server can be made to fail. */
export const HAS_FAULTS = GIVEN_URL === undefined

/** The test server in a process of its own, or a real one. */
export interface TestClickHouse {
  /** With the name and the password of the administrator. */
  readonly options: Omit<ClickHouseOptions, 'databasePrefix'>
  /** Chooses a prefix for databases that no other test uses. */
  readonly createPrefix: () => string
  /** Makes statements fail until the next call. */
  readonly setFault: (fault: Fault) => Promise<void>
  /** Changes the password of the administrator. */
  readonly changePassword: (password: string) => Promise<void>
  /** Ends the process, as a power cut would. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same port, by default with the same data. */
  readonly restart: (data?: string) => Promise<void>
  /** Copies the data of a server that was killed; returns the folder. */
  readonly copyData: () => string
  /** Ends the process, and deletes its data. */
  readonly cleanUp: () => Promise<void>
}

const PASSWORD = 'secret of the administrator'

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const createPrefixes = (): { readonly start: string; readonly create: () => string } => {
  const start = `test_${randomUUID().slice(0, 8)}`
  let count = 0
  return { start, create: () => `${start}_${++count}` }
}

const refuse = (): Promise<never> => Promise.reject(new Error('Only the test server can be made to fail.'))

const useServer = (url: string): TestClickHouse => {
  const { databasePrefix: _prefix, authorityFile: _file, ...options } = parseClickHouseUrl(url)
  const prefixes = createPrefixes()
  return {
    options,
    createPrefix: prefixes.create,
    setFault: refuse,
    changePassword: refuse,
    kill: refuse,
    restart: refuse,
    copyData() {
      throw new Error('Only the data of the test server can be copied.')
    },
    async cleanUp() {
      const client = await connectServer({ ...options, databasePrefix: '' })
      const answer = await client.query({
        query: `SELECT name FROM system.databases WHERE startsWith(name, '${prefixes.start}')`,
        format: 'JSONCompactEachRow',
      })
      for (const [name] of (await answer.json()) as readonly (readonly string[])[]) {
        await client.command({ query: `DROP DATABASE ${name}` })
        await client.command({ query: `DROP USER IF EXISTS ${name}_member` })
      }
      await client.close()
    },
  }
}

export const startClickHouse = async (): Promise<TestClickHouse> => {
  if (GIVEN_URL !== undefined) return useServer(GIVEN_URL)
  const folder = mkdtempSync(join(tmpdir(), 'waymark-clickhouse-'))
  let data = join(folder, 'data')
  let copyCount = 0
  mkdirSync(data)
  let { child, port } = await spawnServer(data, 0, PASSWORD)
  return {
    options: { url: `http://127.0.0.1:${port}`, username: 'default', password: PASSWORD },
    createPrefix: createPrefixes().create,
    async setFault(fault) {
      await fetch(`http://127.0.0.1:${port}/fault`, { method: 'POST', body: JSON.stringify(fault) })
    },
    async changePassword(password) {
      await fetch(`http://127.0.0.1:${port}/password`, { method: 'POST', body: password })
    },
    kill: () => end(child),
    async restart(other = data) {
      await end(child)
      data = other
      ;({ child, port } = await spawnServer(data, port, PASSWORD))
    },
    copyData() {
      const copy = join(folder, `copy-${++copyCount}`)
      // With its links.
      cpSync(data, copy, { recursive: true, verbatimSymlinks: true })
      return copy
    },
    async cleanUp() {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
      rmSync(`${folder}-users.json`, { force: true })
    },
  }
}
