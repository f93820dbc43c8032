import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PostHog } from 'posthog-node'
import type { FlagDefinition, FlagDefinitions } from '../../src/wire/definition.ts'
import type { Json } from '../../src/wire/json.ts'
import type { Subject } from './reference/interpret.ts'

/** What the other implementation says of a flag; undefined: it would ask the service. */
export interface TheirAnswer {
  readonly value: boolean | string | undefined
  readonly payload?: unknown
}

/** The real client of the protocol for Node, evaluating locally what a loopback endpoint gives it. */
export interface PosthogNode {
  /** Replaces the definitions it has. Rejects when it did not take them. */
  load: (definitions: FlagDefinitions) => Promise<void>
  evaluate: (key: string, subject: Subject) => Promise<TheirAnswer>
  stop: () => Promise<void>
}

export const startPosthogNode = async (): Promise<PosthogNode> => {
  let body = '{"flags":[]}'
  let others = 0
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/flags/definitions?')) {
      others++
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
      // A flag that only this set has says whether it arrived.
      const key = `set-${sets++}`
      const mark: FlagDefinition = { id: 0, key, active: true, filters: { groups: [{}] } }
      body = JSON.stringify({ ...definitions, flags: [...definitions.flags, mark] })
      await client.reloadFeatureFlags()
      const arrived = await client.getFeatureFlagResult(key, 'anyone', { sendFeatureFlagEvents: false })
      if (arrived?.enabled !== true) throw new Error('posthog-node did not take the definitions.')
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
      if (others > 0) throw new Error(`posthog-node sent ${others} requests that are not for definitions.`)
    },
  }
}
