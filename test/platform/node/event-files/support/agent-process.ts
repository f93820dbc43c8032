import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { tempFolder } from '../../../../service/support/temp-folder.ts'
import { compiledLog } from './compiled.ts'

export const AGENT: string = fileURLToPath(new URL('agent.mjs', import.meta.url))

export type Mode = 'kill' | 'exit' | 'work' | 'run' | 'write' | 'obey' | 'settle'

export interface AgentOptions {
  readonly module: string
  readonly directory: string
  readonly notes: string
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
  /** All that it has said on its error output. */
  readonly errors: () => string
}

/** Several processes with one folder, and what they have noted of their events. */
export interface Agents {
  readonly directory: string
  /** How an agent is told what to do, for those that are started otherwise. */
  options(mode: Mode, events?: number): AgentOptions
  start(mode: Mode, events?: number): AgentProcess
  /** Names of the events whose turn had ended. */
  confirmed(): readonly string[]
  /** Names of the events that were delivered, as often as they were. */
  delivered(): readonly string[]
  dropped(): readonly string[]
}

/** @param seed Of the agents' choices. */
export const agents = (seed = 0): Agents => {
  const directory = tempFolder()
  const notes = tempFolder()
  let count = 0

  const namesIn = (kind: string): readonly string[] =>
    readdirSync(notes)
      .filter((file) => file.startsWith(`${kind}-`))
      .flatMap((file) => readFileSync(join(notes, file), 'utf8').split('\n').slice(0, -1))

  const options: Agents['options'] = (mode, events = 0) => {
    const id = String(count++)
    return { module: compiledLog(), directory, notes, id, mode, events, seed: seed + Number(id) }
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
      child.stderr!.on('data', (text) => (errors += String(text)))
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
