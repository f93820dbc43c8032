import { spawnSync } from 'node:child_process'
import type { FlagDefinitions } from '../../src/wire/definition.ts'
import { caughtUp, keysIn, launchService, queryRows, SERVICE_SCRIPT } from '../service/support/service-process.ts'

/** The built service of a journey, which may be killed and started again on the same port and data. */
export interface RunningService {
  /** Origin, without a slash at the end; the same after `restart`. */
  readonly url: string
  readonly apiKey: string
  /** Creates something of the first project through the management API, and answers it. */
  create(path: string, body: object): Promise<Readonly<Record<string, unknown>>>
  /** Ends front and, with it, the indexer, as a crash does. Resolves when the front is gone. */
  kill(): Promise<void>
  /** Starts it again on the same port and data. */
  restart(): Promise<void>
  /** Rows of one SELECT in the first project. */
  query(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Resolves when every acknowledged event can be queried. */
  settled(): Promise<void>
  /** Sets these flags of the first project, through the command line. */
  setFlags(definitions: readonly object[]): void
  /** The flag definitions as the service gives them to who evaluates by itself. */
  definitions(): Promise<FlagDefinitions>
}

/**
 * Starts the service on a new data folder.
 *
 * @param args Further arguments of its command.
 */
export const startJourneyService = async (
  dataFolder: string,
  args: readonly string[] = [],
): Promise<RunningService> => {
  let running = await launchService(dataFolder, { args })
  const { url } = running
  const { apiKey, personalApiKey } = keysIn(running.output())
  return {
    url,
    apiKey,
    async create(path, body) {
      const answer = await fetch(`${url}/api/environments/1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${personalApiKey}` },
        body: JSON.stringify(body),
      })
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
      return answer.json()
    },
    async kill() {
      await running.end('SIGKILL')
    },
    async restart() {
      running = await launchService(dataFolder, { args: [...args, '--port', new URL(url).port] })
    },
    query: (sql) => queryRows(url, personalApiKey, sql),
    settled: () => caughtUp(url),
    setFlags(definitions) {
      const { status, stderr } = spawnSync(
        process.execPath,
        [SERVICE_SCRIPT, 'flag', 'set', '-', '--data-folder', dataFolder],
        { input: JSON.stringify(definitions), encoding: 'utf8' },
      )
      if (status !== 0) throw new Error(stderr)
    },
    async definitions() {
      const answer = await fetch(`${url}/flags/definitions?token=${apiKey}&send_cohorts`, {
        headers: { authorization: `Bearer ${personalApiKey}` },
      })
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
      return (await answer.json()) as FlagDefinitions
    },
  }
}
