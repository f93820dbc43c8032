import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { httpContext, init } from '../../src/entry/node.ts'
import type { Waymark } from '../../src/entry/node.ts'

interface ReceivedRequest {
  readonly path: string
  readonly body: { readonly distinct_id?: string; readonly batch?: readonly Captured[] }
}
interface Captured {
  readonly event: string
  readonly distinct_id: string
  readonly properties: Readonly<Record<string, unknown>>
}

let servers: Server[]
let received: ReceivedRequest[]
let waymark: Waymark
beforeEach(async () => {
  received = []
  servers = []
  const host = await listen(
    createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ path: request.url!, body: JSON.parse(body) })
        response.end(JSON.stringify({ featureFlags: { beta: 'blue' }, status: 1 }))
      })
    }),
  )
  waymark = init('key', { host, disableCompression: true })
})
afterEach(async () => {
  await waymark.shutdown()
  for (const server of servers) server.close()
})

const listen = async (server: Server): Promise<string> => {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Handles one request in its context, and returns the captured events. */
const handle = async (headers: Record<string, string>, work: () => unknown): Promise<readonly Captured[]> => {
  const site = await listen(
    createServer(
      httpContext(waymark, (_request, response) => {
        void Promise.resolve(work()).then(() => response.end())
      }),
    ),
  )
  await fetch(`${site}/shop?q=1`, { headers: { ...headers, Connection: 'close', 'User-Agent': 'Browser/1' } })
  await waymark.flush()
  return received.flatMap(({ body }) => body.batch ?? [])
}
const ids = { 'X-POSTHOG-DISTINCT-ID': 'user-1', 'X-POSTHOG-SESSION-ID': 'session-1' }

it('captures for the user and session of the request, and describes the request', async () => {
  const [event] = await handle(ids, () => waymark.capture({ event: 'seen', properties: { plan: 'pro' } }))
  expect(event).toMatchObject({
    event: 'seen',
    distinct_id: 'user-1',
    properties: {
      $session_id: 'session-1',
      $current_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/shop\?q=1$/),
      $request_method: 'GET',
      $request_path: '/shop',
      $user_agent: 'Browser/1',
      $ip: '127.0.0.1',
      plan: 'pro',
    },
  })
})

it('keeps the distinct id and properties of a call', async () => {
  const [event] = await handle(ids, () =>
    waymark.capture({ event: 'seen', distinctId: 'user-2', properties: { $request_path: '/mine' } }),
  )
  expect(event).toMatchObject({ distinct_id: 'user-2', properties: { $request_path: '/mine', $request_method: 'GET' } })
})

it('captures without a person profile if the request names no user', async () => {
  const [event] = await handle({ 'X-POSTHOG-DISTINCT-ID': ' ' }, () => waymark.capture({ event: 'seen' }))
  expect(event?.distinct_id).toMatch(/^[\da-f-]{36}$/)
  expect(event?.properties).toMatchObject({ $process_person_profile: false, $request_path: '/shop' })
})

// "Flags without identity in context: empty, no request, no event."
it('sends no flag request or event without a distinct id in the context', async () => {
  const values: unknown[] = []
  const events = await handle({}, async () => {
    values.push(
      await waymark.getFeatureFlag('beta'),
      await waymark.getFeatureFlags(),
      (await waymark.evaluateFlags()).keys,
    )
  })
  expect(values).toEqual([undefined, {}, []])
  expect([events, received]).toEqual([[], []])
})

// "(better than the field) node's single-flag getters cannot take the id from the context"
it('reads a flag of the user in the context', async () => {
  const values: unknown[] = []
  const events = await handle(ids, async () => {
    values.push(await waymark.getFeatureFlag('beta'))
  })
  expect(values).toEqual(['blue'])
  expect(received.find(({ path }) => path.startsWith('/decide'))?.body.distinct_id).toBe('user-1')
  expect(events).toMatchObject([{ event: '$feature_flag_called', distinct_id: 'user-1' }])
})
