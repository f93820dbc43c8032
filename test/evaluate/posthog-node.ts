import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PostHog } from 'posthog-node'
import type { FlagDefinition, FlagDefinitions } from '../../src/wire/definition.ts'
import type { Json } from '../../src/wire/json.ts'
import type { Subject } from './reference/interpret.ts'

/** The other implementation's result; the value is undefined when it would need the service. */
export interface PosthogEvaluation {
  readonly value: boolean | string | undefined
  readonly payload?: unknown
}

/** The protocol's real Node client, evaluating definitions from a loopback endpoint locally. */
export interface PosthogNode {
  /** Replaces its definitions. Rejects when the client did not accept them. */
  load: (definitions: FlagDefinitions) => Promise<void>
  evaluate: (key: string, subject: Subject) => Promise<PosthogEvaluation>
  stop: () => Promise<void>
}

export const startPosthogNode = async (): Promise<PosthogNode> => {
  let body = '{"flags":[]}'
  let otherRequests = 0
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/flags/definitions?')) {
      otherRequests++
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
  let sets = 0
  return {
    load: async (definitions) => {
      // A flag that exists only in this set shows whether the set arrived.
      const key = `set-${sets++}`
      const marker: FlagDefinition = { id: 0, key, active: true, filters: { groups: [{}] } }
      body = JSON.stringify({ ...definitions, flags: [...definitions.flags, marker] })
      await client.reloadFeatureFlags()
      const arrived = await client.getFeatureFlagResult(key, 'anyone', { sendFeatureFlagEvents: false })
      if (arrived?.enabled !== true) throw new Error('posthog-node did not accept the definitions.')
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
      if (otherRequests > 0)
        throw new Error(`posthog-node sent ${otherRequests} requests for something other than definitions.`)
    },
  }
}
