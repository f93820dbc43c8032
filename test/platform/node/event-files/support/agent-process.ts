import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { createTempFolder } from '../../../../service/support/temp-folder.ts'
import { compileLog } from './compiled.ts'

export const AGENT: string = fileURLToPath(new URL('agent.mjs', import.meta.url))

/** What an agent process does; `agent.mjs` describes each mode. */
export type Mode = 'kill' | 'exit' | 'work' | 'run' | 'write' | 'obey' | 'sync'

export interface AgentOptions {
  readonly module: string
  readonly directory: string
  readonly records: string
  readonly id: string
  readonly mode: Mode
  readonly events?: number
  readonly seed: number
}

export interface AgentProcess {
  readonly pid: number
  readonly child: ChildProcess
  /** Resolves when the process has ended, with its code or signal. */
  readonly ended: Promise<number | string>
  /** All that the process has written to stderr. */
  readonly errors: () => string
}

/** Several agent processes that share a folder, and their records of events. */
export interface AgentGroup {
  readonly directory: string
  /** Options of an agent that the test starts itself. */
  options(mode: Mode, events?: number): AgentOptions
  start(mode: Mode, events?: number): AgentProcess
  /** Names of the events whose turn of the event loop has ended. */
  confirmed(): readonly string[]
  /** Names of the delivered events, once per delivery. */
  delivered(): readonly string[]
  /** Names of the dropped events. */
  dropped(): readonly string[]
}

/**
 * Creates a folder for agent processes and one for their records.
 *
 * @param seed Seed of the agents' random choices.
 */
export const createAgentGroup = (seed = 0): AgentGroup => {
  const directory = createTempFolder()
  const records = createTempFolder()
  let count = 0

  const namesIn = (kind: string): readonly string[] =>
    readdirSync(records)
      .filter((file) => file.startsWith(`${kind}-`))
      .flatMap((file) => readFileSync(join(records, file), 'utf8').split('\n').slice(0, -1))

  const options: AgentGroup['options'] = (mode, events = 0) => {
    const id = String(count++)
    return { module: compileLog(), directory, records, id, mode, events, seed: seed + Number(id) }
  }

  return {
    directory,
    options,
    start(mode, events) {
      const child = fork(AGENT, [JSON.stringify(options(mode, events))], {
        execArgv: [],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      })
      let errors = ''
      child.stderr!.on('data', (chunk) => (errors += String(chunk)))
      const ended = new Promise<number | string>((resolve) =>
        child.once('exit', (code, signal) => resolve(signal ?? code ?? 0)),
      )
      onTestFinished(() => void child.kill('SIGKILL'))
      return { pid: child.pid!, child, ended, errors: () => errors }
    },
    confirmed: () => namesIn('confirmed'),
    delivered: () => namesIn('delivered'),
    dropped: () => namesIn('dropped'),
  }
}
