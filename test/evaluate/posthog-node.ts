import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PostHog } from 'posthog-node'
import type { FlagDefinition, FlagDefinitions } from '../../src/wire/definition.ts'
import type { Json } from '../../src/wire/json.ts'
import type { Subject } from './reference/interpret.ts'

/** The result of posthog-node; the value is undefined when it would need the service. */
export interface PosthogEvaluation {
  readonly value: boolean | string | undefined
  readonly payload?: unknown
}

/** The real posthog-node client, which evaluates definitions from a server on this machine. */
export interface PosthogNode {
  /** Replaces the client's definitions. Rejects when the client did not accept them. */
  load: (definitions: FlagDefinitions) => Promise<void>
  evaluate: (key: string, subject: Subject) => Promise<PosthogEvaluation>
  stop: () => Promise<void>
}

export const startPosthogNode = async (): Promise<PosthogNode> => {
  let body = '{"flags":[]}'
  let otherRequestCount = 0
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/flags/definitions?')) {
      otherRequestCount++
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const client = new PostHog('project', {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    personalApiKey: 'personal',
    featureFlagsPollingInterval: null,
    strictLocalEvaluation: true,
  })
  let loadCount = 0
  return {
    load: async (definitions) => {
      // A flag that exists only in these definitions shows whether the client uses them.
      const key = `set-${loadCount++}`
      const markerFlag: FlagDefinition = { id: 0, key, active: true, filters: { groups: [{}] } }
      body = JSON.stringify({ ...definitions, flags: [...definitions.flags, markerFlag] })
      await client.reloadFeatureFlags()
      const markerResult = await client.getFeatureFlagResult(key, 'anyone', { sendFeatureFlagEvents: false })
      if (markerResult?.enabled !== true) throw new Error('posthog-node did not accept the definitions.')
    },
    evaluate: async (key, subject) => {
      const result = await client.getFeatureFlagResult(key, subject.distinctId, {
        groups: { ...subject.groups },
        personProperties: {
          ...subject.personProperties,
          ...(subject.deviceId !== undefined && { $device_id: subject.deviceId }),
        },
        groupProperties: { ...subject.groupProperties },
        onlyEvaluateLocally: true,
        sendFeatureFlagEvents: false,
      })
      if (!result) return { value: undefined }
      return { value: result.variant ?? result.enabled, payload: result.payload as Json | undefined }
    },
    stop: async () => {
      await client.shutdown()
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
      if (otherRequestCount > 0)
        throw new Error(`posthog-node sent ${otherRequestCount} requests for something other than definitions.`)
    },
  }
}
