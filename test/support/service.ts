import { spawnSync } from 'node:child_process'
import type { FlagDefinitions } from '../../src/wire/definition.ts'
import {
  waitForIndexer,
  parseKeys,
  launchService,
  queryRows,
  SERVICE_SCRIPT,
} from '../service/support/service-process.ts'

/** A process of the built service, which a test can kill and restart on the same port and data folder. */
export interface RunningService {
  /** Origin, without a slash at the end; the same after `restart`. */
  readonly url: string
  readonly apiKey: string
  /** The first key, which may do everything. */
  readonly personalApiKey: string
  /** The script tag that the service has printed for pages of the first project. */
  readonly scriptTag: string
  /** Creates a resource of the first project through the management API, and returns it. */
  create(path: string, body: object): Promise<Readonly<Record<string, unknown>>>
  /** Kills the front, and with it the indexer, as a crash does. Resolves when the front has exited. */
  kill(): Promise<void>
  /** Restarts it on the same port and data folder. */
  restart(): Promise<void>
  /** Returns the rows of one SELECT in the first project. */
  query(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Resolves when every acknowledged event can be queried. */
  settled(): Promise<void>
  /** Sets flags of the first project with the command line. */
  setFlags(definitions: readonly object[]): void
  /** Returns the flag definitions for local evaluation. */
  definitions(): Promise<FlagDefinitions>
}

/**
 * Starts the service on a new data folder.
 *
 * @param args Further arguments of the command line.
 */
export const startJourneyService = async (
  dataFolder: string,
  args: readonly string[] = [],
): Promise<RunningService> => {
  let running = await launchService(dataFolder, { args })
  const { url } = running
  const { apiKey, personalApiKey } = parseKeys(running.output())
  return {
    url,
    apiKey,
    personalApiKey,
    scriptTag: /<script .*<\/script>/.exec(running.output())![0],
    async create(path, body) {
      const response = await fetch(`${url}/api/environments/1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${personalApiKey}` },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      return response.json()
    },
    async kill() {
      await running.end('SIGKILL')
    },
    async restart() {
      running = await launchService(dataFolder, { args: [...args, '--port', new URL(url).port] })
    },
    query: (sql) => queryRows(url, personalApiKey, sql),
    settled: () => waitForIndexer(url),
    setFlags(definitions) {
      const { status, stderr } = spawnSync(
        process.execPath,
        [SERVICE_SCRIPT, 'flag', 'set', '-', '--data-folder', dataFolder],
        { input: JSON.stringify(definitions), encoding: 'utf8' },
      )
      if (status !== 0) throw new Error(stderr)
    },
    async definitions() {
      const response = await fetch(`${url}/flags/definitions?token=${apiKey}&send_cohorts`, {
        headers: { authorization: `Bearer ${personalApiKey}` },
      })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      return (await response.json()) as FlagDefinitions
    },
  }
}
