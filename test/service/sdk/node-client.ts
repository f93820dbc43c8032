import { PostHog, type PostHogOptions } from 'posthog-node'
import { PostHog as PostHog4 } from 'posthog-node-4'
import { onTestFinished, vi } from 'vitest'
import { openSdkService } from './sdk-service.ts'

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

/** The service with clients of it. `complaints` fills with everything that a client told its user to be wrong. */
export const openNodeClients = async () => {
  const service = await openSdkService()
  const { url, apiKey } = service
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
      client.on('error', (error: unknown) => complaints.push(error))
      onTestFinished(() => client.shutdown())
      return client
    },
  }
}
