import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { init } from '../../src/entry/node.ts'
import type { NodeOptions, Waymark } from '../../src/entry/node.ts'
import { VERSION } from '../../src/wire/version.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** An agent with a network that the test controls. */
const open = (options: NodeOptions = {}, apiKey = 'key') => {
  const requests: { url: string; headers: Headers; body: string }[] = []
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const agent = init(apiKey, {
    host: 'https://waymark.test/',
    disableCompression: true,
    fetch: async (url, { headers, body } = {}) => {
      requests.push({ url: url as string, headers: new Headers(headers), body: body as string })
      return new Response('{"status":1}')
    },
    ...options,
  })
  return { agent, requests, warn }
}

/** Calls most methods of an agent. */
const callAll = async (agent: Waymark): Promise<void> => {
  agent.capture({ distinctId: 'a', event: 'e' })
  agent.identify({ distinctId: 'a' })
  agent.alias({ distinctId: 'a', alias: 'b' })
  agent.groupIdentify({ groupType: 'company', groupKey: 'acme' })
  agent.register({ a: 1 })
  await agent.captureImmediate({ distinctId: 'a', event: 'e' })
  await agent.getFeatureFlag('beta', 'a')
  await agent.evaluateFlags('a')
  await agent.reloadFeatureFlags()
  await agent.flush()
  await agent.shutdown()
}

describe('the Node agent', () => {
  // The specification: "trailing slash tolerated".
  it('sends events to a host with a trailing slash, with its own User-Agent', async () => {
    const { agent, requests } = open()
    agent.capture({ distinctId: 'ada', event: 'paid' })
    await agent.flush()
    const [request] = requests
    expect(request!.url).toBe('https://waymark.test/batch/')
    expect(request!.headers.get('user-agent')).toBe(`waymark-node/${VERSION}`)
    expect(request!.headers.get('authorization')).toBeNull()
    expect(JSON.parse(request!.body)).toMatchObject({
      api_key: 'key',
      batch: [{ event: 'paid', properties: { $lib: 'waymark-node', $lib_version: VERSION, $is_server: true } }],
    })
    await agent.shutdown()
  })

  it('runs the task of withContext for any context and options', () => {
    const { agent } = open()
    for (const options of [undefined, null, { fresh: true }])
      for (const context of [undefined, null])
        expect(agent.withContext(context as never, () => 'done', options as never)).toBe('done')
  })

  it('aborts requests for flags and definitions at shutdown', async () => {
    const sockets: Socket[] = []
    const server = createServer(({ socket }) => void sockets.push(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { agent } = open({
      host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      fetch: undefined as never,
      personalApiKey: 'personal',
      featureFlagsRequestTimeoutMs: 100,
    })
    const read = agent.getFeatureFlag('beta', 'a')
    // One socket for the definitions, one for the read; neither gets a response.
    await expect.poll(() => sockets.length).toBe(2)
    await agent.shutdown()
    expect(await read).toBeUndefined()
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true, true])
    await new Promise((resolve) => server.close(resolve))
  })

  it('looks up the global `fetch` at each request', async () => {
    const { agent } = open({ fetch: undefined as never })
    const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}'))
    agent.capture({ distinctId: 'a', event: 'e' })
    await agent.flush()
    expect(fetch).toHaveBeenCalledOnce()
    await agent.shutdown()
  })

  it('is a new agent for each `init`, even with the same key', async () => {
    const [first, second] = [open(), open()]
    first.agent.register({ plan: 'pro' })
    first.agent.optOut()
    second.agent.withContext({ distinctId: 'ada' }, () => {
      expect(first.agent.getContext()).toBeUndefined()
      second.agent.capture({ event: 'e' })
    })
    await second.agent.flush()
    expect(second.requests[0]!.body).not.toContain('plan')
    expect(second.agent.isOptedOut()).toBe(false)
    await Promise.all([first.agent.shutdown(), second.agent.shutdown()])
  })
})

describe('an agent that does nothing', () => {
  // The specification: "disables the client with an error log, never a throw".
  it.each([
    ['no key', null, {}],
    ['a blank key', ' ', {}],
    ['a key that is not a string', 7, {}],
    ['a blank host', 'key', { host: ' ' }],
    ['no host', 'key', { host: undefined as never }],
    ['a host that is a path', 'key', { host: '/insight' }],
    ['a host that is not a URL', 'key', { host: 'waymark.test' }],
  ])('warns once and sends no request with %s', async (_description, key, options) => {
    const { agent, requests, warn } = open(options, key as string)
    expect(warn).toHaveBeenCalledTimes(1)
    await callAll(agent)
    expect([requests, agent.isOptedOut()]).toEqual([[], true])
  })

  // The specification: "every call is a no-op, no storage, no traffic".
  it('sends no request and warns about nothing with `disabled`', async () => {
    const { agent, requests, warn } = open({ disabled: true })
    await callAll(agent)
    expect([requests, warn.mock.calls]).toEqual([[], []])
    expect(agent.getStatus().stopReason).toBe('disabled')
  })

  it('warns about missing or unreadable options, and does not throw', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const unreadable = {
      get host(): never {
        throw new Error('no')
      },
    }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    await callAll(init('key', unreadable))
    await callAll(init('key', revoked.proxy))
    await callAll((init as () => Waymark)())
    await callAll(init('key', null as never))
    expect(warn).toHaveBeenCalledTimes(4)
  })
})

// The specification: "Clients are made and thrown away by the dozen in one process".
describe('many agents in one process', () => {
  const countResources = () => ({
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    exit: process.listenerCount('exit'),
    beforeExit: process.listenerCount('beforeExit'),
  })

  it('leave no timer and no listener after shutdown', async () => {
    const before = countResources()
    // Vitest has timers, too, which may end meanwhile.
    const noMore = { ...before, timers: expect.toSatisfy((count: number) => count <= before.timers) }
    const agents = Array.from({ length: 50 }, () => open().agent)
    for (const agent of agents) agent.capture({ distinctId: 'a', event: 'e' })
    for (const agent of agents) await agent.flush()
    expect(countResources()).toEqual(noMore)
    for (const agent of agents) await agent.shutdown()
    expect(countResources()).toEqual(noMore)
  })

  it('are garbage-collected after delivery, even without shutdown()', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const refs: WeakRef<Waymark>[] = []
    const use = async (): Promise<void> => {
      const agent = init('key', {
        host: 'https://waymark.test',
        flushInterval: 100,
        fetch: async () => new Response('{}'),
      })
      refs.push(new WeakRef(agent))
      await agent.withContext({ distinctId: 'a' }, async () => agent.capture({ event: 'e' }))
      await agent.flush()
    }
    for (let n = 0; n < 12; n++) await use()
    // The timer of `flushInterval` references the agent until it fires.
    await vi.waitFor(async () => {
      await yieldToEventLoop()
      collect()
      expect(refs.filter((ref) => ref.deref())).toHaveLength(0)
    }, 20_000)
  })
})
