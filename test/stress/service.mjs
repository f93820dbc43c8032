import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Path of the built command. */
export const SERVICE_SCRIPT = fileURLToPath(new URL('../../src/service/dist/main.js', import.meta.url))

/** Timeouts of a start on a busy machine and of a stop by SIGTERM, in milliseconds. */
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 10_000

/** Length of the last output that a report shows, in characters. */
const MAX_REPORTED_OUTPUT = 4000

/**
 * Controls a service on one data folder. Unexpected behaviour (an unexpected exit, a failed start, a slow stop) is thrown or
 * recorded in `problems`.
 *
 * @param {{ script: string, folder: string, args?: readonly string[] }} options `args` are more options of `serve`.
 */
export const createService = ({ script, folder, args: moreArgs = [] }) => {
  if (!existsSync(script)) throw new Error(`${script} is missing; run "npm run build" first.`)
  /** @type {{ child: import('node:child_process').ChildProcess, ended: Promise<void>, isExpected: boolean } | null} */
  let front = null
  /** @type {string | null} */
  let url = null
  let output = ''
  /** @type {Set<number>} */
  const indexers = new Set()
  /** @type {string[]} */
  const problems = []

  const collectOutput = (chunk) => (output = (output + chunk).slice(-20_000))

  // The service must not outlive this process.
  const endWithProcess = () => front?.child.kill('SIGKILL')
  process.once('exit', endWithProcess)

  /** Starts a front without waiting until it listens. */
  const launch = () => {
    const limits = ['--query-max-rows', '1000000', '--max-key-requests-per-minute', '100000']
    const args = [script, 'serve', '--data-folder', folder, '--port', '0', ...limits, ...moreArgs]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    collectOutput(`--- process ${child.pid}\n`)
    const frontProcess = { child, ended: Promise.resolve(), isExpected: false }
    frontProcess.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        if (front === frontProcess) [front, url] = [null, null]
        collectOutput(`--- process ${child.pid} ended: ${signal ?? code}\n`)
        if (!frontProcess.isExpected)
          problems.push(`The service exited unexpectedly (${signal ?? `exit code ${code}`}).`)
        resolve()
      })
    })
    child.stderr.on('data', collectOutput)
    let printed = ''
    child.stdout.on('data', (chunk) => {
      collectOutput(chunk)
      if (front !== frontProcess || url !== null) return
      printed += chunk
      url = /listens on (\S+)\s/.exec(printed)?.[1] ?? null
    })
    front = frontProcess
    return frontProcess
  }

  const start = async () => {
    const frontProcess = front ?? launch()
    const deadline = Date.now() + START_TIMEOUT_MS
    const isUp = () => url !== null
    while (!isUp()) {
      if (front !== frontProcess) throw new Error('The service exited before it listened; see its output.')
      if (Date.now() > deadline)
        throw new Error(`The service does not listen after ${START_TIMEOUT_MS} ms; see its output.`)
      await pause(10)
    }
  }

  /** The pid of the current indexer, or null. */
  const indexer = () => {
    const pid = front?.child.pid
    const children = pid === undefined ? [] : listChildPids(pid)
    for (const child of children) indexers.add(child)
    return children[0] ?? null
  }

  const kill = async () => {
    indexer()
    const frontProcess = front
    if (frontProcess === null) return
    frontProcess.isExpected = true
    frontProcess.child.kill('SIGKILL')
    await frontProcess.ended
  }

  return {
    start,
    launch: () => void (front ?? launch()),
    indexer,
    kill,
    url: () => url,
    problems,
    output: () => output.slice(-MAX_REPORTED_OUTPUT),
    /** Sends a signal to the front, or to the indexer with this pid. Does nothing if the process has ended. */
    signal: (pid, signal) => {
      try {
        process.kill(pid ?? front?.child.pid ?? 0, signal)
      } catch {
        // The process has ended meanwhile.
      }
    },
    /** Sends SIGTERM to the front, which must exit with code 0 within ten seconds. */
    terminate: async () => {
      indexer()
      const frontProcess = front
      if (frontProcess === null) return
      const signalledAt = Date.now()
      frontProcess.isExpected = true
      frontProcess.child.kill('SIGTERM')
      await Promise.race([frontProcess.ended, pause(STOP_TIMEOUT_MS)])
      const { exitCode, signalCode } = frontProcess.child
      if (exitCode !== 0) problems.push(`SIGTERM after ${Date.now() - signalledAt} ms: ${signalCode ?? exitCode}`)
      if (exitCode === null) await kill()
    },
    /** Runs another command on the same folder and returns its output. */
    command: async (...args) => {
      const { stdout } = await promisify(execFile)(process.execPath, [script, ...args, '--data-folder', folder])
      return stdout
    },
    /** Kills all started processes. */
    end: async () => {
      process.off('exit', endWithProcess)
      await kill()
      for (const pid of indexers) if (isIndexer(pid)) process.kill(pid, 'SIGKILL')
    },
  }
}

/** @typedef {ReturnType<typeof createService>} StressedService */

const listChildPids = (pid) => {
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
