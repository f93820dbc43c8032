import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listChildPids } from '../../service/support/service-process.ts'

/** The oldest and the newest supported server; both are packages of `test/scale`. */
export const POSTGRES_PACKAGES = ['postgres-13', 'postgres-18'] as const

/** A PostgreSQL server of a test, on a port of its own. */
export interface PostgresServer {
  /** URL of the database `postgres`, as a superuser. */
  readonly url: string
  start(): Promise<void>
  /** Stops as `pg_ctl stop -m immediate` does: connections break, as in a crash. */
  stop(): Promise<void>
  /** Makes the server hang with all its processes: it accepts connections and answers nothing. */
  suspend(): void
  /** Lets a server that hangs go on. */
  resume(): void
  /** Stops the server and removes its files. */
  remove(): Promise<void>
}

/** PostgreSQL refuses to run as root, so it runs as the user `nobody`. */
export const NOBODY = 65_534

const isRoot = process.getuid?.() === 0

const asNobody = (program: string, args: readonly string[]): [string, string[]] =>
  isRoot
    ? ['setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', program, ...args]]
    : [program, [...args]]

const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/**
 * Starts a server in a new folder. It syncs nothing to disk, which makes the tests quick and is no part of them.
 *
 * @param name One of `POSTGRES_PACKAGES`.
 * @param settings Further settings of the server, such as `max_connections=20`.
 * @param authentication A line of `pg_hba.conf` that comes before the one that trusts all. Default: none.
 */
export const startPostgres = async (
  name: string,
  settings: readonly string[] = [],
  authentication: string = '',
): Promise<PostgresServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-postgres-'))
  chmodSync(folder, 0o755)
  // A copy, which `nobody` can read whatever the mode of the repository's folder. The links are left out by `--ignore-scripts`.
  const program = join(folder, 'program')
  cpSync(join(import.meta.dirname, '../node_modules', name), program, { recursive: true })
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: program })
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (isRoot) chownSync(data, NOBODY, NOBODY)
  const bin = join(program, 'native/bin')
  const options = { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } }
  const initialise = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-sync']
  execFileSync(...asNobody(join(bin, 'initdb'), initialise), { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
  writeFileSync(join(data, 'pg_hba.conf'), `${authentication}\nhost all all all trust\n`)
  const port = await findFreePort()
  const fixed = ['fsync=off', 'unix_socket_directories=', 'listen_addresses=127.0.0.1', 'max_connections=200']
  let server: ChildProcess | null = null
  const stop = async (): Promise<void> => {
    const stopping = server
    server = null
    if (stopping === null) return
    const exited = once(stopping, 'exit')
    stopping.kill('SIGQUIT')
    stopping.kill('SIGCONT')
    await exited
  }
  const start = async (): Promise<void> => {
    const args = ['-D', data, '-p', String(port), ...[...fixed, ...settings].flatMap((setting) => ['-c', setting])]
    const starting = spawn(...asNobody(join(bin, 'postgres'), args), {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = starting
    let log = ''
    await new Promise<void>((resolve, reject) => {
      starting.stderr.on('data', (chunk: Buffer) => {
        log = (log + chunk.toString()).slice(-10_000)
        if (log.includes('ready to accept connections')) resolve()
      })
      starting.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
      starting.once('error', reject)
    })
  }
  /** While the server itself stands still, it neither starts processes nor removes those that have ended. */
  const signalChildren = (signal: NodeJS.Signals): void => {
    for (const pid of listChildPids(server!.pid!)) process.kill(pid, signal)
  }
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    suspend() {
      server!.kill('SIGSTOP')
      signalChildren('SIGSTOP')
    },
    resume() {
      signalChildren('SIGCONT')
      server!.kill('SIGCONT')
    },
    async remove() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
