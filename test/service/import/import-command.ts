import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** Path of the built program. */
export const COMMAND = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))

/** How a command ended. */
export interface CommandResult {
  /** The exit code, or the signal that ended the process. */
  readonly code: number | NodeJS.Signals
  /** Standard output. */
  readonly out: string
  /** Standard error. */
  readonly err: string
}

/** A running `waymark` command. */
export interface RunningCommand {
  readonly child: ChildProcess
  /** Resolves when the process has ended. */
  readonly result: Promise<CommandResult>
}

/** Starts the built `waymark` command with this standard input. */
export const startCommand = (args: readonly string[], input: string | Uint8Array = ''): RunningCommand => {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  // Writing to a killed command fails.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const result = new Promise<CommandResult>((resolve) => {
    child.on('close', (code, signal) => resolve({ code: signal ?? code ?? 0, out, err }))
  })
  return { child, result }
}

/** Runs the built `waymark` command until it exits. */
export const runCommand = (args: readonly string[], input?: string | Uint8Array): Promise<CommandResult> =>
  startCommand(args, input).result
