import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The built command. */
export const SERVICE_SCRIPT = fileURLToPath(new URL('../../src/service/dist/main.js', import.meta.url))

/** How long a start may take on a busy machine, and how long a stop by SIGTERM, in milliseconds. */
const START_MS = 60_000
const STOP_MS = 10_000

/** Characters of what the service printed last that a report shows. */
const SHOWN_OUTPUT = 4000

/**
 * A service on one data folder that is started, ended and started again. What it was not asked for (an end of its own, a
 * start that fails, a stop that takes too long) is thrown or kept in `complaints`.
 *
 * @param {{ script: string, folder: string }} parts
 */
export const createService = ({ script, folder }) => {
  if (!existsSync(script)) throw new Error(`${script} is missing; run "npm run build" first.`)
  /** @type {{ child: import('node:child_process').ChildProcess, ended: Promise<void>, isAsked: boolean } | null} */
  let front = null
  /** @type {string | null} */
  let url = null
  let output = ''
  /** @type {Set<number>} */
  const indexers = new Set()
  /** @type {string[]} */
  const complaints = []

  const hear = (chunk) => (output = (output + chunk).slice(-20_000))

  // However this process ends, the service does not outlive it.
  const endWithProcess = () => front?.child.kill('SIGKILL')
  process.once('exit', endWithProcess)

  /** Starts a front without waiting until it listens. */
  const launch = () => {
    const args = [script, 'serve', '--data-folder', folder, '--port', '0', '--query-max-rows', '1000000']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    hear(`--- process ${child.pid}\n`)
    const own = { child, ended: Promise.resolve(), isAsked: false }
    own.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        if (front === own) [front, url] = [null, null]
        hear(`--- process ${child.pid} ended: ${signal ?? code}\n`)
        if (!own.isAsked) complaints.push(`The service ended by itself (${signal ?? `exit code ${code}`}).`)
        resolve()
      })
    })
    child.stderr.on('data', hear)
    let printed = ''
    child.stdout.on('data', (chunk) => {
      hear(chunk)
      if (front !== own || url !== null) return
      printed += chunk
      url = /listens on (\S+)\s/.exec(printed)?.[1] ?? null
    })
    front = own
    return own
  }

  const start = async () => {
    const own = front ?? launch()
    const deadline = Date.now() + START_MS
    const isUp = () => url !== null
    while (!isUp()) {
      if (front !== own) throw new Error('The service ended before it listened.')
      if (Date.now() > deadline) throw new Error(`The service does not listen after ${START_MS} ms.`)
      await pause(10)
    }
  }

  /** The indexer that the front runs now, or null. */
  const indexer = () => {
    const pid = front?.child.pid
    const found = pid === undefined ? [] : childrenOf(pid)
    for (const each of found) indexers.add(each)
    return found[0] ?? null
  }

  const kill = async () => {
    indexer()
    const own = front
    if (own === null) return
    own.isAsked = true
    own.child.kill('SIGKILL')
    await own.ended
  }

  return {
    start,
    launch: () => void (front ?? launch()),
    indexer,
    kill,
    url: () => url,
    complaints,
    output: () => output.slice(-SHOWN_OUTPUT),
    /** Sends a signal to the front, or to a process of the indexer; one that is gone is left alone. */
    signal: (pid, signal) => {
      try {
        process.kill(pid ?? front?.child.pid ?? 0, signal)
      } catch {
        // It has ended meanwhile.
      }
    },
    /** Asks the front to end: it has ten seconds, and says that all went well. */
    terminate: async () => {
      indexer()
      const own = front
      if (own === null) return
      const askedAt = Date.now()
      own.isAsked = true
      own.child.kill('SIGTERM')
      await Promise.race([own.ended, pause(STOP_MS)])
      const { exitCode, signalCode } = own.child
      if (exitCode !== 0) complaints.push(`SIGTERM after ${Date.now() - askedAt} ms: ${signalCode ?? exitCode}`)
      if (exitCode === null) await kill()
    },
    /** Runs another command on the same folder; answers what it printed. */
    command: async (...args) => {
      const { stdout } = await promisify(execFile)(process.execPath, [script, ...args, '--data-folder', folder])
      return stdout
    },
    /** Ends everything that was started. */
    end: async () => {
      process.off('exit', endWithProcess)
      await kill()
      for (const pid of indexers) if (isIndexer(pid)) process.kill(pid, 'SIGKILL')
    },
  }
}

/** @typedef {ReturnType<typeof createService>} StressedService */

const childrenOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

const isIndexer = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('indexer.js')
  } catch {
    return false
  }
}
