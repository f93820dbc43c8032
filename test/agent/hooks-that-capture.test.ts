import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { OutgoingEvent } from '../../src/capture/before-send.ts'
import { init as initCapture } from '../../src/entry/capture.ts'
import { init as initEdge } from '../../src/entry/edge.ts'
import { init as initPage } from '../../src/entry/index.ts'
import { init as initNode } from '../../src/entry/node.ts'
import type { BatchRequest } from '../../src/wire/event.ts'
import { createPhone } from '../support/phone.ts'

type Hook = (event: OutgoingEvent) => OutgoingEvent | null

/** An agent with these hooks: its way to capture, and the events that arrive. */
interface TestedAgent {
  capture(event: string, properties?: object): void
  flush(): Promise<readonly string[]>
  end(): unknown
}

let keys = 0
const ends: (() => unknown)[] = []
beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.stubGlobal('location', new URL('https://shop.test/'))
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const createOptions = (hooks: Hook[]) => {
  const names: string[] = []
  return {
    names,
    options: {
      host: 'https://waymark.test',
      disableCompression: true,
      capturePageview: false,
      persistence: 'memory' as const,
      before_send: hooks,
      async fetch(url: unknown, init?: { readonly body?: unknown }) {
        if (String(url).endsWith('/batch/'))
          names.push(...(JSON.parse(String(init?.body)) as BatchRequest).batch.map(({ event }) => event))
        return Response.json({ status: 1, featureFlags: {}, featureFlagPayloads: {} })
      },
    },
  }
}

const openPage =
  (init: typeof initPage | typeof initCapture) =>
  (hooks: Hook[]): TestedAgent => {
    const { names, options } = createOptions(hooks)
    const agent = init(`loops ${++keys}`, options)
    const flush = async (): Promise<readonly string[]> => (await agent.flush(), names)
    return { capture: agent.capture, flush, end: () => agent.shutdown(1_000) }
  }
const openServer =
  (init: typeof initNode | typeof initEdge) =>
  (hooks: Hook[]): TestedAgent => {
    const { names, options } = createOptions(hooks)
    const agent = init(`loops ${++keys}`, options)
    return {
      capture: (event, properties) => agent.capture({ distinctId: 'ada', event, properties }),
      flush: async () => (await agent.flush(), names),
      end: () => agent.shutdown(1_000),
    }
  }

const PLATFORMS: Readonly<Record<string, (hooks: Hook[]) => TestedAgent | Promise<TestedAgent>>> = {
  'a page': openPage(initPage),
  'a page that only captures': openPage(initCapture),
  Node: openServer(initNode),
  'the edge': openServer(initEdge),
  async 'an app of React Native'(hooks) {
    const phone = createPhone()
    const { agent, clock, kill } = phone.open({ captureLifecycle: false, before_send: hooks })
    await agent.ready()
    return {
      capture: agent.capture,
      async flush() {
        const flushed = agent.flush()
        // A large body is compressed in chunks, and the app has turns between them.
        await clock.advance(0)
        await flushed
        return [...phone.stored.values()].map(({ event }) => event)
      },
      end: kill,
    }
  },
}

it.each(Object.entries(PLATFORMS))(
  '%s: hooks that capture run once per event, and the other hooks see it',
  async (_, open) => {
    const calls: string[] = []
    const audit =
      (name: string): Hook =>
      (event) => {
        calls.push(`${name} ${event.event}`)
        agent.capture(`${event.event} ${name}`)
        return event
      }
    const agent = await open([audit('x'), audit('y')])
    ends.push(agent.end)
    agent.capture('a')
    expect(calls).toEqual(['x a', 'y a x', 'y a', 'x a y'])
    expect([...(await agent.flush())].sort()).toEqual(['a', 'a x', 'a x y', 'a y', 'a y x'])
    agent.capture('b')
    expect(calls).toHaveLength(8)
  },
)

it.each(Object.entries(PLATFORMS))(
  '%s: a property that captures itself ends, and the rest is delivered',
  async (_, open) => {
    const agent = await open([])
    ends.push(agent.end)
    let reads = 0
    const properties = {
      get price() {
        reads++
        agent.capture('read', properties)
        return 1
      },
    }
    agent.capture('a', properties)
    expect(reads).toBeLessThan(100)
    expect(await agent.flush()).toContain('a')
  },
)
