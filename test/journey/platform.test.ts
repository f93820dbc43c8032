import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { rollup } from 'rollup'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import commonjs from '@rollup/plugin-commonjs'
import ts from 'typescript'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { browserBeacon } from '../../src/platform/browser/beacon.ts'
import type { browserChannel } from '../../src/platform/browser/channel.ts'
import type { browserCompressor } from '../../src/platform/browser/compressor.ts'
import type { browserLifecycle } from '../../src/platform/browser/lifecycle.ts'
import type { Clock } from '../../src/port/clock.ts'
import type { EventStore } from '../../src/port/event-store.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import type { Lease } from '../../src/port/lease.ts'
import type { Send } from '../../src/port/send.ts'
import { launch } from '../support/browser.ts'

/** The adapters as a page has them. */
interface Adapters {
  browserClock(): Clock
  openEventStore(name: string, clock: Clock): Promise<EventStore>
  browserLease(name: string): Lease
  browserKeyValue(options: object): KeyValue
  browserCompressor: typeof browserCompressor
  browserBeacon: typeof browserBeacon
  browserLifecycle: typeof browserLifecycle
  browserChannel: typeof browserChannel
  createSend(clock: Clock): Send
}
declare const adapters: Adapters
declare const kept: Record<string, unknown>

const NAMES = 'clock event-store lease key-value compressor beacon lifecycle channel send'.split(' ')

const bundle = async (): Promise<string> => {
  const built = await rollup({
    input: 'adapters',
    plugins: [
      {
        name: 'adapters',
        resolveId: (id) => (id === 'adapters' ? id : null),
        load: (id) =>
          id === 'adapters'
            ? NAMES.map((name) => `export * from '${process.cwd()}/src/platform/browser/${name}.ts'`).join('\n')
            : null,
        transform: (text, id) =>
          id.endsWith('.ts')
            ? ts.transpileModule(text, {
                compilerOptions: {
                  target: ts.ScriptTarget.ES2020,
                  module: ts.ModuleKind.ESNext,
                  verbatimModuleSyntax: true,
                },
              }).outputText
            : null,
      },
      nodeResolve({ browser: true }),
      commonjs(),
    ],
  })
  return (await built.generate({ format: 'iife', name: 'adapters' })).output[0].code
}

interface Received {
  readonly method: string
  readonly path: string
  readonly body: Buffer
  readonly cookie: string | undefined
}

let server: Server
let browser: Browser
let context: BrowserContext
let received: Received[] = []
let port: number

beforeAll(async () => {
  const code = await bundle()
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method, url, headers } = request
      if (method === 'GET') {
        response.setHeader('Content-Type', 'text/html')
        return response.end(`<!doctype html><title>page</title><script>const kept = {};${code}</script>`)
      }
      received.push({ method: method!, path: url!, body: Buffer.concat(parts), cookie: headers.cookie })
      response.writeHead(429, {
        'Retry-After': '7',
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'Retry-After',
      })
      return response.end('later')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  browser = await launch({ args: ['--host-resolver-rules=MAP *.example.test 127.0.0.1'] })
})
afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  server?.close()
})
beforeEach(async () => {
  received = []
  context = await browser.newContext()
})
afterEach(() => context.close())

/** A secure page; `insecure()` is one without Web Locks. */
const open = async (path = '/', host = '127.0.0.1'): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(`http://${host}:${port}${path}`)
  return page
}

const keysIn = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const store = await adapters.openEventStore('events', adapters.browserClock())
    return store.keys('', '\uffff')
  })

describe('the event store in Chromium', () => {
  it('commits what is begun while the page goes away', async () => {
    const page = await open()
    for (let visit = 0; visit < 10; visit++) {
      await page.evaluate(async (visit) => {
        const store = await adapters.openEventStore('events', adapters.browserClock())
        addEventListener('pagehide', () => void store.write([{ key: `e/${visit}`, value: 'last words' }]))
      }, visit)
      await page.goto(`http://127.0.0.1:${port}/${visit}`)
    }
    expect(await keysIn(page)).toHaveLength(10)
  })

  it('lets another tab delete the database, and makes it again', async () => {
    const [one, two] = [await open(), await open()]
    await one.evaluate(async () => {
      const store = await adapters.openEventStore('events', adapters.browserClock())
      kept.store = store
      await store.write([{ key: 'a', value: '1' }])
    })
    await two.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase('events')
          request.addEventListener('success', resolve)
          request.addEventListener('blocked', reject)
        }),
    )
    await one.evaluate(() => (kept.store as EventStore).write([{ key: 'b', value: '2' }]))
    expect(await keysIn(two)).toEqual(['b'])
  })

  it("survives the deletion of the site's data under an open connection", async () => {
    const page = await open()
    await page.evaluate(async () => {
      const store = await adapters.openEventStore('events', adapters.browserClock())
      kept.store = store
      await store.write([{ key: 'a', value: '1' }])
    })
    const session = await context.newCDPSession(page)
    await session.send('Storage.clearDataForOrigin', { origin: `http://127.0.0.1:${port}`, storageTypes: 'all' })
    await page.evaluate(() => (kept.store as EventStore).write([{ key: 'b', value: '2' }]))
    expect(await keysIn(page)).toEqual(['b'])
  })
})

describe('the right to deliver', () => {
  /** Starts a task that runs until `kept.end()`; the answer says whether it was begun. */
  const hold = (page: Page, steal?: boolean) =>
    page.evaluate(async (steal) => {
      const lease = adapters.browserLease('right')
      return new Promise<boolean>((resolve) => {
        const held = lease(() => {
          resolve(true)
          return new Promise<void>((end) => (kept.end = end))
        }, steal)
        kept.held = held
        void held.then(resolve)
      })
    }, steal)

  it('is held by one tab, refused to others at once, and free at its end', async () => {
    const [one, two] = [await open(), await open()]
    expect(await hold(one)).toBe(true)
    expect(await hold(two)).toBe(false)
    expect(
      await one.evaluate(() => {
        ;(kept.end as () => void)()
        return kept.held
      }),
    ).toBe(true)
    expect(await hold(two)).toBe(true)
  })

  it('can be stolen, and its former holder ends in peace', async () => {
    const [one, two] = [await open(), await open()]
    const errors: Error[] = []
    one.on('pageerror', (error) => errors.push(error))
    expect(await hold(one)).toBe(true)
    expect(await hold(two, true)).toBe(true)
    expect(await hold(one)).toBe(false)
    expect(errors).toEqual([])
  })
})

it('is free at once when the tab that holds it is closed (Web Locks)', async () => {
  const [one, two] = [await open(), await open()]
  const take = (page: Page) =>
    page.evaluate(() => {
      const lease = adapters.browserLease('right')
      return new Promise<boolean>((resolve) => {
        void lease(() => {
          resolve(true)
          return new Promise<void>(() => {})
        }).then(resolve)
      })
    })
  expect(await take(one)).toBe(true)
  expect(await take(two)).toBe(false)
  await one.close()
  await expect.poll(() => take(two)).toBe(true)
})

it('keeps no page out of the back/forward cache, and hears other tabs again after it', async () => {
  const [one, two] = [await open('/one'), await open('/two')]
  await one.evaluate(async () => {
    const heard: unknown[] = []
    Object.assign(kept, { heard, causes: [] })
    const store = await adapters.openEventStore('events', adapters.browserClock())
    await store.write([{ key: 'a', value: '1' }])
    const life = adapters.browserLifecycle()
    adapters.browserChannel('tabs', life).onMessage((message) => heard.push(message))
    life.onWake((cause) => (kept.causes as string[]).push(cause))
    life.onUnload(() => {})
  })
  await one.goto(`http://127.0.0.1:${port}/elsewhere`)
  await one.goBack({ waitUntil: 'commit' })
  await expect.poll(() => one.evaluate(() => kept.causes)).toContain('restored')
  await two.evaluate(() => {
    const channel = adapters.browserChannel('tabs', adapters.browserLifecycle())
    channel.onMessage(() => {})
    channel.post(['e/1'])
  })
  await expect.poll(() => one.evaluate(() => kept.heard)).toEqual([['e/1']])
})

it('sends gzip to another origin without a preflight and without cookies, and reads the answer', async () => {
  const page = await open()
  await context.addCookies([{ name: 'session', value: 'secret', url: `http://shop.example.test:${port}` }])
  const answer = await page.evaluate(async (url) => {
    const send = adapters.createSend(adapters.browserClock())
    const body = await adapters.browserCompressor()('{"é":1}')
    return send({ url, body, contentType: 'text/plain', timeoutMs: 5000, keepalive: true })
  }, `http://shop.example.test:${port}/batch/`)
  expect(answer).toEqual({ status: 429, body: 'later', retryAfter: '7' })
  expect(received.map(({ method, path, cookie }) => [method, path, cookie])).toEqual([['POST', '/batch/', undefined]])
  expect(gunzipSync(received[0]!.body).toString()).toBe('{"é":1}')
})

it('hands a beacon over while the page goes away', async () => {
  const page = await open()
  await page.evaluate(() => {
    adapters.browserLifecycle().onUnload(() => adapters.browserBeacon('/batch/', 'last words', 'text/plain'))
  })
  await page.goto('about:blank')
  await expect.poll(() => received.length).toBe(1)
  expect(received[0]!.body.toString()).toBe('last words')
})

it('shares the marked key between the hosts of a site', async () => {
  const [shop, blog] = [await open('/', 'shop.example.test'), await open('/', 'blog.example.test')]
  const options = {
    prefix: 'own_',
    persistence: 'localStorage+cookie',
    crossSubdomainCookie: true,
    cookieKey: 'identity',
    warn: undefined,
  }
  await shop.evaluate((options) => {
    const store = adapters.browserKeyValue(options)
    store.set('identity', '{"id":"u;1"}')
    store.set('flags', '{}')
  }, options)
  const [identity, flags] = await blog.evaluate((options) => {
    const store = adapters.browserKeyValue(options)
    return [store.get('identity'), store.get('flags')]
  }, options)
  expect([identity, flags]).toEqual(['{"id":"u;1"}', null])
  expect((await context.cookies()).map(({ name, domain }) => [name, domain])).toEqual([
    ['own_identity', '.example.test'],
  ])
})
