import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The built command. */
export const SERVICE_SCRIPT: string = fileURLToPath(new URL('../../../src/service/dist/main.js', import.meta.url))

/** How long a start may take. */
const START_TIMEOUT_MS = 30_000

/** A service that runs as its users run it. */
export interface ServiceProcess {
  readonly url: string
  readonly pid: number
  /** All that it printed so far. */
  readonly output: () => string
  /** Sends a signal; resolves to the exit code, or to the signal's name when that ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals>
}

export interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Largest file that the process may write, in KiB: a disk that is full. */
  readonly maxFileKiB?: number
  /** Descriptors that the process may have at most (`ulimit -n`). */
  readonly maxOpenFiles?: number
  readonly script?: string
}

/** Starts the built service on a folder and waits until it listens. It is killed when the test has ended. */
export const startService = async (dataFolder: string, options?: StartOptions): Promise<ServiceProcess> => {
  const service = await launchService(dataFolder, options)
  onTestFinished(() => void service.end('SIGKILL'))
  return service
}

/** Starts the built service on a folder and waits until it listens; whoever calls ends it. It is killed when it does not listen. */
export const launchService = async (
  dataFolder: string,
  { args = [], env = {}, maxFileKiB, maxOpenFiles, script = SERVICE_SCRIPT }: StartOptions = {},
): Promise<ServiceProcess> => {
  if (!existsSync(script)) throw new Error(`${script} is missing; run "npm run build" first.`)
  const command = [process.execPath, script, 'serve', '--data-folder', dataFolder, '--port', '0', ...args]
  const limits = [
    ...(maxFileKiB === undefined ? [] : [`ulimit -f ${maxFileKiB};`]),
    ...(maxOpenFiles === undefined ? [] : [`ulimit -n ${maxOpenFiles};`]),
  ]
  const limited = limits.length === 0 ? command : ['bash', '-c', `${limits.join(' ')} exec "$@"`, 'bash', ...command]
  const child = spawn(limited[0]!, limited.slice(1), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

  let output = ''
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? code ?? 0))
  })
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /listens on (\S+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('error', reject)
    void ended.then((code) => reject(new Error(`The service ended (${code}) before it listened:\n${output}`)))
    setTimeout(() => {
      reject(new Error(`The service does not listen after ${START_TIMEOUT_MS} ms:\n${output}`))
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

/** The keys that a first start printed. */
export const parseKeys = (output: string): { readonly apiKey: string; readonly personalApiKey: string } => {
  const apiKey = /wm_[\w-]+/.exec(output)?.[0]
  const personalApiKey = /wmx_[\w-]+/.exec(output)?.[0]
  if (apiKey === undefined || personalApiKey === undefined) throw new Error(`No keys in:\n${output}`)
  return { apiKey, personalApiKey }
}

/** Runs a query of project 1 and answers its rows. */
export const queryRows = async (url: string, personalApiKey: string, query: string): Promise<unknown[][]> => {
  const answer = await fetch(`${url}/api/environments/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ query }),
  })
  const body = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} ${body}`)
  return JSON.parse(body).results
}

/** Waits until `check` holds, with a look every 50 ms; throws after `withinMs`. */
export const eventually = async (check: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> => {
  const deadline = Date.now() + withinMs
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${String(check)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until everything that was acknowledged is queryable. */
export const waitForIndexer = (url: string): Promise<void> =>
  eventually(async () => {
    const answer = await fetch(`${url}/healthz`)
    const health = await answer.json()
    return answer.ok && health.indexer.behindRows === 0
  })

/** The processes that a process has started. */
export const listChildPids = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
