import { PostHog } from 'posthog-node'
import type { PostHogOptions } from 'posthog-node'
import { PostHog as PostHog4 } from 'posthog-node-4'
import { onTestFinished, vi } from 'vitest'
import { openSdkService } from './sdk-service.ts'

/** What both majors of posthog-node can do. */
export type NodeClient = Pick<
  PostHog,
  | 'alias'
  | 'capture'
  | 'debug'
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

/** What packages log of themselves, which is no word on the service. */
const OF_ITSELF = [
  / is deprecated and will be removed /,
  // posthog-node 4 says so half a minute after each shutdown, in a later test; one that did time out rejects.
  /^Timed out while shutting down PostHog$/,
]

/** What a client asked for, and what became of it. */
export interface Asked {
  readonly path: string
  readonly status: number
}

/** The service with clients of it. `complaints` fills with everything that a client told its user to be wrong. */
export const openNodeClients = async () => {
  const service = await openSdkService()
  const { url, apiKey } = service
  const asked: Asked[] = []
  const complaints: unknown[] = []
  // Clients log all that they do: the errors and warnings are of interest, the rest is not.
  vi.spyOn(console, 'log').mockImplementation(() => {})
  for (const method of ['warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...told) => {
      if (!OF_ITSELF.some((said) => said.test(String(told[0])))) complaints.push(told)
    })
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  return {
    ...service,
    asked,
    complaints,
    /** Makes a client of the service, which is shut down when the test has ended. */
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
      client.debug()
      client.on('error', (error: unknown) => complaints.push(error))
      onTestFinished(() => client.shutdown())
      return client
    },
  }
}
