import { PostHog } from 'posthog-node'
import type { PostHogOptions } from 'posthog-node'
import { PostHog as PostHog4 } from 'posthog-node-4'
import { onTestFinished, vi } from 'vitest'
import { openSdkService } from './sdk-service.ts'

/** Methods of both major versions of posthog-node. */
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

/** Options of both major versions. */
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

/** The major versions of the package that are in use. */
export const MAJOR_VERSIONS: readonly (readonly [string, (apiKey: string, options: NodeOptions) => NodeClient])[] = [
  // The types of version 4 differ from those of version 5 only in options that the tests do not use.
  ['posthog-node 4', (apiKey, options) => new PostHog4(apiKey, options as object) as unknown as NodeClient],
  ['posthog-node 5', (apiKey, options) => new PostHog(apiKey, options)],
]

/** Messages of the packages that do not concern the service. */
const IGNORED_MESSAGES = [
  / is deprecated and will be removed /,
  // posthog-node 4 logs this half a minute after each shutdown, during a later test. A real timeout rejects.
  /^Timed out while shutting down PostHog$/,
]

/** A request of a client and its status. */
export interface RecordedRequest {
  readonly path: string
  readonly status: number
}

/** The service and its clients. `loggedProblems` collects all errors and warnings that clients log. */
export const openNodeClients = async () => {
  const service = await openSdkService()
  const { url, apiKey } = service
  const requests: RecordedRequest[] = []
  const loggedProblems: unknown[] = []
  // Clients log everything they do. Only errors and warnings matter.
  vi.spyOn(console, 'log').mockImplementation(() => {})
  for (const method of ['warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...args) => {
      if (!IGNORED_MESSAGES.some((pattern) => pattern.test(String(args[0])))) loggedProblems.push(args)
    })
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  return {
    ...service,
    requests,
    loggedProblems,
    /** Creates a client of the service, which is shut down at the end of the test. */
    open: <Client extends NodeClient>(
      create: (apiKey: string, options: NodeOptions) => Client,
      options: NodeOptions = {},
    ): Client => {
      const client = create(apiKey, {
        host: url,
        fetch: async (requestUrl, init) => {
          const { headers, method, body } = init
          const response = await fetch(requestUrl, { headers, method, ...(body && { body: body as BodyInit }) })
          requests.push({ path: requestUrl.slice(url.length), status: response.status })
          return response
        },
        ...options,
      })
      client.debug()
      client.on('error', (error: unknown) => loggedProblems.push(error))
      onTestFinished(() => client.shutdown())
      return client
    },
  }
}
