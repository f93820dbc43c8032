import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContext, runInContext } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as Edge from '../../src/entry/edge.ts'
import { init } from '../../src/entry/edge.ts'
import { bundleSource } from '../support/bundle-source.ts'

/** The globals of an edge runtime. */
const runtime = () => ({
  fetch,
  setTimeout,
  clearTimeout,
  URL,
  TextEncoder,
  AbortController,
  crypto: { getRandomValues: crypto.getRandomValues.bind(crypto) },
  console: { debug: vi.fn(), warn: vi.fn() },
})

const FLAG = { id: 1, key: 'beta', active: true, filters: { groups: [{ properties: [], rollout_percentage: 100 }] } }

let code: string
let imports: readonly string[]
beforeAll(async () => {
  ;({ code, imports } = await bundleSource('src/entry/edge.ts', 'iife'))
}, 60_000)

/** Runs the entry with only these globals. */
const load = (globals: object): typeof Edge => runInContext(`${code};bundled`, createContext(globals)) as typeof Edge

interface ReceivedRequest {
  readonly path: string
  readonly body: { batch?: { event: string; distinct_id: string; properties: Record<string, unknown> }[] }
}

let server: Server
let host: string
let received: ReceivedRequest[]
/** The proxy in front of the service redirects paths with, or without, a slash at their end. */
let redirected: 'slash' | 'no slash' | undefined
beforeEach(async () => {
  received = []
  redirected = undefined
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { pathname, search } = new URL(request.url!, 'http://localhost')
      const bare = pathname.replace(/\/$/, '')
      if (redirected && (redirected === 'slash') === pathname.endsWith('/')) {
        const Location = (redirected === 'slash' ? bare : `${bare}/`) + search
        return response.writeHead(308, { Location }).end()
      }
      const path = redirected ? bare : pathname
      received.push({ path, body: body ? JSON.parse(body) : {} })
      if (path === '/flags/definitions')
        response.end(JSON.stringify({ flags: [FLAG], group_type_mapping: {}, cohorts: {} }))
      else response.end(JSON.stringify({ featureFlags: { remote: 'blue' }, status: 1 }))
      return undefined
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const events = () => received.flatMap(({ body }) => body.batch ?? [])

describe('waymark/edge', () => {
  it('imports no module of Node or of a package', () => {
    expect(imports).toEqual([])
    expect(code).not.toMatch(/\brequire\s*\(|\bimport\s*\(|['"]node:(?!async_hooks)/)
  })

  it('uses no global variable while it is imported', () => {
    const used: PropertyKey[] = []
    const globals = runtime()
    for (const [name, value] of Object.entries(globals)) {
      Object.defineProperty(globals, name, { get: () => (used.push(name), value) })
    }
    load(globals)
    expect(used).toEqual([])
  })

  it('captures, flushes and evaluates flags with only the globals of an edge runtime', async () => {
    const globals = runtime()
    const waymark = load(globals).init('key', { host, personalApiKey: 'phx_secret' })
    waymark.capture({
      distinctId: 'user-1',
      event: 'signed up',
      properties: { plan: 'pro', padding: 'x'.repeat(2_000) },
    })
    waymark.identify({ distinctId: 'user-1', properties: { email: 'a@example.com' } })
    expect(await waymark.getFeatureFlag('beta', 'user-1')).toBe(true)
    expect(await waymark.getFeatureFlag('remote', 'user-1')).toBe('blue')
    const flags = await waymark.evaluateFlags('user-2')
    expect(flags.isEnabled('beta')).toBe(true)
    await waymark.captureImmediate({ distinctId: 'user-1', event: 'paid' })
    await waymark.flush()
    const names = [...events(), ...received.map(({ body }) => body as { event?: string })].map(({ event }) => event)
    expect(names).toEqual(expect.arrayContaining(['signed up', '$identify', '$feature_flag_called', 'paid']))
    const { properties } = events().find(({ event }) => event === 'signed up')!
    expect(properties).toMatchObject({ $lib: 'waymark-edge', $is_server: true, plan: 'pro' })
    await waymark.shutdown()
    expect(globals.console.warn.mock.calls).toEqual([])
  })

  it.each(['slash', 'no slash'] as const)(
    'delivers and evaluates behind a proxy that redirects paths with %s',
    async (form) => {
      redirected = form
      const globals = runtime()
      const waymark = load(globals).init('key', { host, personalApiKey: 'phx_secret' })
      waymark.capture({ distinctId: 'user-1', event: 'signed up' })
      expect(await waymark.getFeatureFlag('beta', 'user-1')).toBe(true)
      expect(await waymark.getFeatureFlag('remote', 'user-1')).toBe('blue')
      await waymark.flush()
      expect(events().map(({ event }) => event)).toContain('signed up')
      await waymark.shutdown()
      expect(globals.console.warn.mock.calls).toEqual([])
    },
  )

  it('names the target in a warning when a proxy redirects to another origin', async () => {
    const globals = runtime()
    globals.fetch = async () => new Response(null, { status: 308, headers: { Location: 'https://other.test/' } })
    const waymark = load(globals).init('key', { host })
    waymark.capture({ distinctId: 'user-1', event: 'signed up' })
    await waymark.getFeatureFlag('remote', 'user-1')
    void waymark.flush()
    const target = 'a redirect 308 to https://other.test/'
    await expect
      .poll(() => globals.console.warn.mock.calls.map((call) => call.slice(1).join(' ')))
      .toEqual(
        expect.arrayContaining([
          `events not delivered: ${host}/batch/ answered ${target}`,
          `the request for feature flags failed: ${target}`,
        ]),
      )
    await waymark.shutdown(1)
  })

  it('compresses with gzip if the runtime can', async () => {
    const bodies: Buffer[] = []
    const encodings: unknown[] = []
    const sink = createServer((request, response) => {
      encodings.push(request.headers['content-encoding'])
      request.on('data', (chunk: Buffer) => bodies.push(chunk)).on('end', () => response.end('{"status":1}'))
    })
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
    const { port } = sink.address() as AddressInfo
    const waymark = load({ ...runtime(), CompressionStream, Response }).init('key', {
      host: `http://127.0.0.1:${port}`,
    })
    for (let count = 0; count < 20; count++) waymark.capture({ distinctId: 'user-1', event: `event ${count}` })
    await waymark.shutdown()
    sink.closeAllConnections()
    sink.close()
    expect(encodings).toEqual(['gzip'])
    expect(JSON.parse(gunzipSync(Buffer.concat(bodies)).toString()).batch).toHaveLength(20)
  })

  it('starts outside of a request, where Cloudflare forbids timers and requests', async () => {
    const globals = runtime()
    let isInRequest = false
    const refuse =
      <T extends (...args: never[]) => unknown>(work: T) =>
      (...args: Parameters<T>) => {
        if (!isInRequest) throw new Error('Disallowed operation called within global scope')
        return work(...args)
      }
    const waymark = load({
      ...globals,
      fetch: refuse(fetch),
      setTimeout: refuse(setTimeout),
      crypto: { getRandomValues: refuse(globals.crypto.getRandomValues) },
    }).init('key', { host, personalApiKey: 'phx_secret', featureFlagsPollingInterval: 100 })
    await sleep(120)
    isInRequest = true
    waymark.capture({ distinctId: 'user-1', event: 'first request' })
    await waymark.flush()
    expect(events().map(({ event }) => event)).toEqual(['first request'])
    await expect.poll(() => waymark.isLocalEvaluationReady()).toBe(true)
    expect(await waymark.getFeatureFlag('beta', 'user-1', { onlyEvaluateLocally: true })).toBe(true)
    await waymark.shutdown()
  })

  it('delivers events of a stopped request in the next request', async () => {
    let isAlive = true
    let isHanging = false
    const hung = vi.fn<() => void>()
    const hang = (): Promise<never> => {
      hung()
      return new Promise(() => {})
    }
    const waymark = load({
      ...runtime(),
      setTimeout: (task: () => void, ms: number) => setTimeout(() => isAlive && task(), ms),
      fetch: (...args: Parameters<typeof fetch>) => (isHanging ? hang() : fetch(...args)),
    }).init('key', { host, flushAt: 1, requestTimeout: 1_000, fetchRetryDelay: 10 })
    isHanging = true
    waymark.capture({ distinctId: 'user-1', event: 'first request' })
    await expect.poll(() => hung.mock.calls.length).toBe(1)
    isAlive = false
    await sleep(1_100)
    isHanging = false
    isAlive = true
    waymark.capture({ distinctId: 'user-2', event: 'second request' })
    await waymark.flush()
    expect(new Set(events().map(({ event }) => event))).toEqual(new Set(['first request', 'second request']))
    await waymark.shutdown()
  })

  it('keeps the context until the first await without AsyncLocalStorage', async () => {
    const { edgeContext, init } = load(runtime())
    const waymark = init('key', { host })
    const pending: Promise<unknown>[] = []
    const handler = edgeContext(waymark, async (request: Request, _context: object) => {
      waymark.capture({ event: 'at once' })
      await sleep(request.url.endsWith('a') ? 20 : 5)
      waymark.capture({ event: 'later' })
    })
    const handle = (id: string) =>
      handler(new Request(`http://localhost/${id}`, { headers: { 'X-POSTHOG-DISTINCT-ID': id } }), {
        waitUntil: (work: Promise<unknown>) => pending.push(work),
      })
    await Promise.all([handle('a'), handle('b')])
    await Promise.all(pending)
    const captured = events().map(({ event, distinct_id, properties }) => [
      event,
      distinct_id,
      properties['$request_path'],
    ])
    expect(new Set(captured.filter(([event]) => event === 'at once'))).toEqual(
      new Set([
        ['at once', 'a', '/a'],
        ['at once', 'b', '/b'],
      ]),
    )
    const later = captured.filter(([event]) => event === 'later')
    expect(later).toHaveLength(2)
    for (const [, id, path] of later) expect([['a', 'b'].includes(id as string), path]).toEqual([false, undefined])
    await waymark.shutdown()
  })
})

it('warns that persistenceDir needs waymark/node', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  init('key', { host: 'http://127.0.0.1:9', persistenceDir: '/var/lib/shop' } as Edge.EdgeOptions)
  init('key', { host: 'http://127.0.0.1:9' })
  expect(
    warn.mock.calls.flat().filter((message) => /persistenceDir needs waymark\/node/.test(message as string)),
  ).toHaveLength(1)
  warn.mockRestore()
})
