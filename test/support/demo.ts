import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** How long the demo may take to start. It starts the service, creates a key and sets its flags. */
const START_TIMEOUT_MS = 50_000

/** A process of the demo, as `npm start` runs it. */
export interface RunningDemo {
  /** Origin, without a slash at the end. */
  readonly url: string
  /** Returns what it has printed so far. */
  output(): string
  /** Stops it as Ctrl-C does. Resolves with its exit code. */
  stop(): Promise<number | null>
}

/** Starts `demo/start.mjs` on a free port. Rejects with its output if it exits instead. */
export const startDemo = (args: readonly string[]): Promise<RunningDemo> => {
  const child = spawn(process.execPath, ['demo/start.mjs', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve))
  const output: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => output.push(line))
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`The demo did not start:\n${output.join('\n')}`))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail()
    }, START_TIMEOUT_MS)
    child.once('close', () => {
      clearTimeout(timer)
      fail()
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      output.push(line)
      const url = /Demo shop +(http:\S+)/.exec(line)?.[1]
      if (!url) return
      clearTimeout(timer)
      resolve({
        url,
        output: () => output.join('\n'),
        stop() {
          child.kill('SIGINT')
          return exited
        },
      })
    })
  })
}
