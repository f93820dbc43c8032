import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export { listChildPids } from '../../support/list-child-pids.mjs'

/** Path of the built command. */
export const SERVICE_SCRIPT: string = fileURLToPath(new URL('../../../src/service/dist/main.js', import.meta.url))

/** Longest time that a start may take. Long, because a start on a busy machine takes more than half a minute. */
const START_TIMEOUT_MS = 50_000

/** A service in its own process, as its users run it. */
export interface ServiceProcess {
  readonly url: string
  readonly pid: number
  /** Output of the service so far. */
  readonly output: () => string
  /** Sends a signal and resolves to the exit code, or to the signal's name if that ended the process. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals>
}

export interface StartOptions {
  /** The command, with its own arguments. Default: `serve`. */
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Largest file that the process may write, in KiB, to simulate a full disk. */
  readonly maxFileKiB?: number
  /** Highest number of open file descriptors of the process (`ulimit -n`). */
  readonly maxOpenFiles?: number
  readonly script?: string
  /** The program that runs it. Default: the Node that runs the tests. */
  readonly node?: string
}

/** Starts the built service on a folder and waits until it listens. It is killed at the end of the test. */
export const startService = async (dataFolder: string, options?: StartOptions): Promise<ServiceProcess> => {
  const service = await launchService(dataFolder, options)
  onTestFinished(() => void service.end('SIGKILL'))
  return service
}

/** Like `startService`, but the caller must end the service. It is killed if it does not listen in time. */
export const launchService = async (
  dataFolder: string,
  {
    command: subcommand = ['serve'],
    args = [],
    env = {},
    maxFileKiB,
    maxOpenFiles,
    script = SERVICE_SCRIPT,
    node = process.execPath,
  }: StartOptions = {},
): Promise<ServiceProcess> => {
  if (!existsSync(script)) throw new Error(`${script} is missing; run "npm run build" first.`)
  const command = [node, script, ...subcommand, '--data-folder', dataFolder, '--port', '0', ...args]
  const limits = [
    ...(maxFileKiB === undefined ? [] : [`ulimit -f ${maxFileKiB};`]),
    ...(maxOpenFiles === undefined ? [] : [`ulimit -n ${maxOpenFiles};`]),
  ]
  const commandWithLimits =
    limits.length === 0 ? command : ['bash', '-c', `${limits.join(' ')} exec "$@"`, 'bash', ...command]
  const child = spawn(commandWithLimits[0]!, commandWithLimits.slice(1), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

  let output = ''
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? code ?? 0))
  })
  const url = await new Promise<string>((resolve, reject) => {
    const collectOutput = (chunk: Buffer): void => {
      output += chunk.toString()
      const listeningUrl = /listens on (\S+)/.exec(output)?.[1]
      if (listeningUrl !== undefined) resolve(listeningUrl)
    }
    child.stdout.on('data', collectOutput)
    child.stderr.on('data', collectOutput)
    child.on('error', reject)
    void ended.then((code) =>
      reject(new Error(`The service exited (${code}) before it listened; see its output:\n${output}`)),
    )
    setTimeout(() => {
      reject(new Error(`The service does not listen after ${START_TIMEOUT_MS} ms; see its output:\n${output}`))
      if (!output.includes('listens on')) child.kill('SIGKILL')
    }, START_TIMEOUT_MS).unref()
  })
  return {
    url,
    pid: child.pid!,
    output: () => output,
    end: (signal) => {
      child.kill(signal)
      return ended
    },
  }
}

/** Parses the keys that the first start prints. */
export const parseKeys = (output: string): { readonly apiKey: string; readonly personalApiKey: string } => {
  const apiKey = /wm_[\w-]+/.exec(output)?.[0]
  const personalApiKey = /wmx_[\w-]+/.exec(output)?.[0]
  if (apiKey === undefined || personalApiKey === undefined)
    throw new Error(`The output has no API keys; is this the first start on the folder?\n${output}`)
  return { apiKey, personalApiKey }
}

/** Runs a query of a project, by default the first one, and returns its rows. */
export const queryRows = async (
  url: string,
  personalApiKey: string,
  query: string,
  projectId = 1,
): Promise<unknown[][]> => {
  const response = await fetch(`${url}/api/environments/${projectId}/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ query }),
  })
  const body = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${body}`)
  return JSON.parse(body).results
}

/** Polls every 50 ms until `check` returns true; throws after `withinMs`. */
export const eventually = async (check: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> => {
  const deadline = Date.now() + withinMs
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`Not true within ${withinMs} ms: ${String(check)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until all acknowledged events can be queried; the error says what `/healthz` answered last. */
export const waitForIndexer = async (url: string): Promise<void> => {
  let lastHealth = ''
  const isIndexed = async (): Promise<boolean> => {
    const response = await fetch(`${url}/healthz`)
    lastHealth = await response.text()
    return response.ok && JSON.parse(lastHealth).indexer.behindRows === 0
  }
  try {
    await eventually(isIndexed, 60_000)
  } catch (cause) {
    throw new Error(`The events were not indexed in time: ${lastHealth}`, { cause })
  }
}

/**
 * Stops a process (SIGSTOP) until `SIGCONT`. A stopped process outlives its parent and ignores every other signal, so it is killed when
 * the test has finished.
 */
export const suspendProcess = (pid: number): void => {
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => killProcess(pid))
}

/** Kills a process, unless it has ended. */
export const killProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended since it was found.
  }
}
