import { PostHog, type PostHogOptions } from 'posthog-node'
import { PostHog as PostHog4 } from 'posthog-node-4'
import { onTestFinished, vi } from 'vitest'
import type { FlagDefinition } from '../../../src/wire/definition.ts'
import { caughtUp, keysIn, queryRows, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** What both majors of posthog-node can do. */
export type NodeClient = Pick<
  PostHog,
  | 'alias'
  | 'capture'
  | 'getAllFlags'
  | 'getAllFlagsAndPayloads'
  | 'getFeatureFlag'
  | 'getFeatureFlagPayload'
  | 'getRemoteConfigPayload'
  | 'groupIdentify'
  | 'identify'
  | 'isFeatureEnabled'
  | 'on'
  | 'reloadFeatureFlags'
  | 'shutdown'
>

/** Options that both majors have. */
export type NodeOptions = Pick<
  PostHogOptions,
  | 'fetch'
  | 'featureFlagsPollingInterval'
  | 'fetchRetryDelay'
  | 'flushAt'
  | 'flushInterval'
  | 'historicalMigration'
  | 'host'
  | 'personalApiKey'
>

/** The majors of the package that are in use. */
export const MAJORS: readonly (readonly [string, (apiKey: string, options: NodeOptions) => NodeClient])[] = [
  // Its types differ from those of its successor in what nobody here passes.
  ['posthog-node 4', (apiKey, options) => new PostHog4(apiKey, options as object) as unknown as NodeClient],
  ['posthog-node 5', (apiKey, options) => new PostHog(apiKey, options)],
]

/** What a client asked for, and what became of it. */
export interface Asked {
  readonly path: string
  readonly status: number
}

/** The service as a process. `complaints` fills with everything that a client told its user to be wrong. */
export const openSdkService = async () => {
  const { url, output } = await startService(tempFolder())
  const { apiKey, personalApiKey } = keysIn(output())
  const asked: Asked[] = []
  const complaints: unknown[] = []
  for (const method of ['warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...told) => {
      // What a package says of its own future is no fault of the service.
      if (!/ is deprecated and will be removed /.test(String(told[0]))) complaints.push(told)
    })
  onTestFinished(() => {
    vi.restoreAllMocks()
  })

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
    asked,
    complaints,
    /** What the service printed. */
    output,
    /** Rows of one SELECT, of all that was acknowledged. */
    query: async (sql: string): Promise<unknown[][]> => {
      await caughtUp(url)
      return queryRows(url, personalApiKey, sql)
    },
    manage,
    addFlag: async (flag: Partial<FlagDefinition>): Promise<void> => void (await manage('feature_flags/', flag)),
    /** Makes a client of this service, which is shut down when the test has ended. */
    open: <Client extends NodeClient>(
      make: (apiKey: string, options: NodeOptions) => Client,
      options: NodeOptions = {},
    ): Client => {
      const client = make(apiKey, {
        host: url,
        fetch: async (address, init) => {
          const { headers, method, body } = init
          const answer = await fetch(address, { headers, method, ...(body && { body: body as BodyInit }) })
          asked.push({ path: address.slice(url.length), status: answer.status })
          return answer
        },
        ...options,
      })
      client.on('error', (error: unknown) => complaints.push(error))
      onTestFinished(() => client.shutdown())
      return client
    },
  }
}
