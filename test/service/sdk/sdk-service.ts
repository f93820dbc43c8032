import type { FlagDefinition } from '../../../src/wire/definition.ts'
import { waitForIndexer, parseKeys, queryRows, startService } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

/** Starts the built service as a process, and returns helpers that use its keys. */
export const openSdkService = async () => {
  const { url, output } = await startService(createTempFolder())
  const { apiKey, personalApiKey } = parseKeys(output())
  /** Posts to a resource of the management API. */
  const manage = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${personalApiKey}` }
    const response = await fetch(`${url}/api/projects/1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return response.json()
  }
  return {
    url,
    apiKey,
    personalApiKey,
    /** Output of the service so far. */
    output,
    /** Rows of a SELECT, after all acknowledged events have been indexed. */
    query: async (sql: string): Promise<unknown[][]> => {
      await waitForIndexer(url)
      return queryRows(url, personalApiKey, sql)
    },
    manage,
    addFlag: async (flag: Partial<FlagDefinition>): Promise<void> => void (await manage('feature_flags/', flag)),
  }
}
