import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** How long the demo may take to start: it opens the service, creates a key and sets its flags. */
const START_MS = 30_000

/** The demo as a process of its own, as `npm start` runs it after the build. */
export interface RunningDemo {
  /** Origin, without a slash at the end. */
  readonly url: string
  /** What it has printed so far. */
  said(): string
  /** Ends it as Ctrl-C does; resolves to its exit code. */
  stop(): Promise<number | null>
}

/** Starts `demo/start.mjs` on a free port. Rejects with what it printed when it ends instead. */
export const startDemo = (args: readonly string[]): Promise<RunningDemo> => {
  const child = spawn(process.execPath, ['demo/start.mjs', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = new Promise<number | null>((resolve) => void child.once('exit', resolve))
  const said: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`The demo did not start:\n${said.join('\n')}`))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail()
    }, START_MS)
    child.once('close', () => {
      clearTimeout(timer)
      fail()
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line)
      const url = /Demo shop +(http:\S+)/.exec(line)?.[1]
      if (!url) return
      clearTimeout(timer)
      resolve({
        url,
        said: () => said.join('\n'),
        stop() {
          child.kill('SIGINT')
          return gone
        },
      })
    })
  })
}
