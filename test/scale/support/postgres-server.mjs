import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listChildPids } from '../../support/list-child-pids.mjs'

/** The oldest and the newest supported server; both are packages of `test/scale`. */
export const POSTGRES_PACKAGES = /** @type {const} */ (['postgres-13', 'postgres-18'])

/**
 * A PostgreSQL server, on a port of its own.
 *
 * @typedef {object} PostgresServer
 * @property {string} url URL of the database `postgres`, as a superuser.
 * @property {(data?: string) => Promise<void>} start On the same port, by default with the data that it had.
 * @property {() => string} copyData Copies the data of a server that is stopped, as a replica has them; returns the folder.
 * @property {() => Promise<void>} stop Stops as `pg_ctl stop -m immediate` does: connections break, as in a crash.
 * @property {() => void} suspend Makes the server hang with all its processes: it accepts connections and answers nothing.
 * @property {() => void} resume Lets a server that hangs go on.
 * @property {() => number} pid Of the process that all others of the server descend from. Only while it runs.
 * @property {() => Promise<void>} remove Stops the server and removes its files.
 */

/** PostgreSQL refuses to run as root, so it runs as the user `nobody`. */
export const NOBODY = 65_534

const isRoot = process.getuid?.() === 0

/** @returns {[string, string[]]} */
const asNobody = (/** @type {string} */ program, /** @type {readonly string[]} */ args) =>
  isRoot
    ? ['setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', program, ...args]]
    : [program, [...args]]

const findFreePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  server.close()
  return port
}

/**
 * Starts a server in a new folder. It syncs nothing to disk, which makes the tests quick and is no part of them.
 *
 * @param {string} name One of `POSTGRES_PACKAGES`.
 * @param {readonly string[]} [settings] Further settings of the server, such as `max_connections=20`.
 * @param {string} [authentication] A line of `pg_hba.conf` that comes before the one that trusts all. Default: none.
 * @returns {Promise<PostgresServer>}
 */
export const startPostgres = async (name, settings = [], authentication = '') => {
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
  /** @type {import('node:child_process').ChildProcess | null} */
  let server = null
  const readPid = () => {
    if (server === null) throw new Error('The server does not run.')
    return /** @type {number} */ (server.pid)
  }
  const stop = async () => {
    const stopping = server
    server = null
    if (stopping === null) return
    const exited = once(stopping, 'exit')
    stopping.kill('SIGQUIT')
    stopping.kill('SIGCONT')
    await exited
  }
  let current = data
  let copyCount = 0
  const start = async (folderOfData = current) => {
    current = folderOfData
    const args = ['-D', current, '-p', String(port), ...[...fixed, ...settings].flatMap((setting) => ['-c', setting])]
    const starting = spawn(...asNobody(join(bin, 'postgres'), args), {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = starting
    let log = ''
    await /** @type {Promise<void>} */ (
      new Promise((resolve, reject) => {
        starting.stderr.on('data', (/** @type {Buffer} */ chunk) => {
          log = (log + chunk.toString()).slice(-10_000)
          if (log.includes('ready to accept connections')) resolve()
        })
        starting.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
        starting.once('error', reject)
      })
    )
  }
  /** While the server itself stands still, it neither starts processes nor removes those that have ended. */
  const signalChildren = (/** @type {NodeJS.Signals} */ signal) => {
    for (const pid of listChildPids(readPid())) process.kill(pid, signal)
  }
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    copyData() {
      if (server !== null) throw new Error('The server runs.')
      const copy = join(folder, `copy-${++copyCount}`)
      // With its owner and mode.
      execFileSync('cp', ['-a', current, copy])
      return copy
    },
    suspend() {
      process.kill(readPid(), 'SIGSTOP')
      signalChildren('SIGSTOP')
    },
    resume() {
      signalChildren('SIGCONT')
      process.kill(readPid(), 'SIGCONT')
    },
    pid: readPid,
    async remove() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
