import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { until } from './until.ts'

const MAIN = 'src/service/dist/main.js'

/** How long a start may take. */
const START_MS = 30_000

/** The built service as a process of its own, which the test may kill and start again on the same port and data. */
export interface RunningService {
  /** Origin, without a slash at the end; the same after `restart`. */
  readonly url: string
  readonly apiKey: string
  readonly personalApiKey: string
  /** Process id of the front. */
  pid(): number
  /** Ends front and, with it, the indexer, as a crash does. Resolves when the front is gone. */
  kill(): Promise<void>
  /** Starts it again on the same port and data. */
  restart(): Promise<void>
  /** Rows of one SELECT in the first project. */
  query(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Resolves when every acknowledged event can be queried. */
  settled(): Promise<void>
  /** Replaces the first project's flags by these definitions, through the command line. */
  setFlags(definitions: readonly object[]): Promise<void>
}

/** Starts the service on a data folder; a new folder's keys are read from what it prints. */
export async function startService(dataFolder: string): Promise<RunningService> {
  let running = await start(dataFolder, 0)
  const { url } = running
  const port = Number(new URL(url).port)
  const [apiKey, personalApiKey] = [/project api key +(\S+)/, /personal api key +(\S+)/].map(
    (pattern) => pattern.exec(running.said)?.[1],
  )
  if (!apiKey || !personalApiKey) throw new Error(`The service did not show its keys:\n${running.said}`)

  const query = async (sql: string): Promise<readonly (readonly unknown[])[]> => {
    const response = await fetch(`${url}/api/environments/1/query/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${personalApiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: sql }),
    })
    const answer = (await response.json()) as { results: readonly (readonly unknown[])[] }
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
    return answer.results
  }

  return {
    url,
    apiKey,
    personalApiKey,
    pid: () => running.child.pid!,
    async kill() {
      const { child } = running
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    },
    async restart() {
      running = await start(dataFolder, port)
    },
    query,
    async settled() {
      await until(
        async () => ((await (await fetch(`${url}/healthz`)).json()) as { indexer: { behindRows: number } }).indexer,
        ({ behindRows }) => behindRows === 0,
      )
    },
    async setFlags(definitions) {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, 'flag', 'set', '-', '--data-folder', dataFolder], {
        input: JSON.stringify(definitions),
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(stderr)
    },
  }
}

async function start(dataFolder: string, port: number): Promise<{ child: ChildProcess; url: string; said: string }> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--data-folder', dataFolder, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`The service ${why}:\n${said.join('\n')}`))
    }
    const timer = setTimeout(() => fail(`did not start within ${START_MS} ms`), START_MS)
    child.once('error', reject)
    child.once('exit', () => fail('ended'))
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line)
      const url = /listens on (http:\S+)/.exec(line)?.[1]
      if (!url) return
      clearTimeout(timer)
      child.removeAllListeners('exit')
      resolve({ child, url, said: said.join('\n') })
    })
  })
}
