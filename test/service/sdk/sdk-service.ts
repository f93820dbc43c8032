import type { FlagDefinition } from '../../../src/wire/definition.ts'
import { caughtUp, keysIn, queryRows, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The built service as a process, with what its owner does beside the clients under test. */
export const openSdkService = async () => {
  const { url, output } = await startService(tempFolder())
  const { apiKey, personalApiKey } = keysIn(output())
  /** Posts to a resource of the management API. */
  const manage = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${personalApiKey}` }
    const answer = await fetch(`${url}/api/projects/1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  return {
    url,
    apiKey,
    personalApiKey,
    /** What the service printed so far. */
    output,
    /** Rows of one SELECT, of all that was acknowledged. */
    query: async (sql: string): Promise<unknown[][]> => {
      await caughtUp(url)
      return queryRows(url, personalApiKey, sql)
    },
    manage,
    addFlag: async (flag: Partial<FlagDefinition>): Promise<void> => void (await manage('feature_flags/', flag)),
  }
}
