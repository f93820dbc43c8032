import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { rollup } from 'rollup'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import commonjs from '@rollup/plugin-commonjs'
import ts from 'typescript'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type * as beacon from '../../src/platform/browser/beacon.ts'
import type * as channel from '../../src/platform/browser/channel.ts'
import type * as clock from '../../src/platform/web/clock.ts'
import type * as compressor from '../../src/platform/web/compressor.ts'
import type * as eventStore from '../../src/platform/browser/event-store.ts'
import type * as keyValue from '../../src/platform/browser/key-value.ts'
import type * as lifecycle from '../../src/platform/browser/lifecycle.ts'
import type * as lock from '../../src/platform/browser/lock.ts'
import type * as send from '../../src/platform/browser/send.ts'
import type { EventStore } from '../../src/port/event-store.ts'
import { servePages } from '../support/page-server.ts'

/** The exports of all adapters, as one global of the page. */
type Adapters = typeof beacon &
  typeof channel &
  typeof clock &
  typeof compressor &
  typeof eventStore &
  typeof keyValue &
  typeof lifecycle &
  typeof lock &
  typeof send
declare const adapters: Adapters
/** Values that a page keeps between calls of `evaluate`. */
declare const pageState: Record<string, unknown>

const ADAPTERS = [
  ...'beacon channel event-store key-value lifecycle lock send'.split(' ').map((name) => `browser/${name}`),
  'web/clock',
  'web/compressor',
]

const bundle = async (): Promise<string> => {
  const built = await rollup({
    input: 'adapters',
    plugins: [
      {
        name: 'adapters',
        resolveId: (id) => (id === 'adapters' ? id : null),
        load: (id) =>
          id === 'adapters'
            ? ADAPTERS.map((name) => `export * from '${process.cwd()}/src/platform/${name}.ts'`).join('\n')
            : null,
        transform: (code, id) =>
          id.endsWith('.ts')
            ? ts.transpileModule(code, {
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

interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly body: Buffer
  readonly cookie: string | undefined
}

let code: string
let receivedRequests: ReceivedRequest[] = []

beforeAll(async () => {
  code = await bundle()
})
const pages = servePages(
  (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method, url, headers } = request
      if (method === 'GET') {
        response.setHeader('Content-Type', 'text/html')
        return response.end(`<!doctype html><title>page</title><script>const pageState = {};${code}</script>`)
      }
      receivedRequests.push({ method: method!, path: url!, body: Buffer.concat(parts), cookie: headers.cookie })
      response.writeHead(429, {
        'Retry-After': '7',
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'Retry-After',
      })
      return response.end('later')
    })
  },
  { args: ['--host-resolver-rules=MAP *.example.test 127.0.0.1'] },
)
beforeEach(() => {
  receivedRequests = []
})

/** Opens a page; 127.0.0.1 is a secure context, so that it has Web Locks. */
const open = async (path = '/', host = '127.0.0.1'): Promise<Page> => {
  const page = await pages.context.newPage()
  await page.goto(`http://${host}:${pages.port}${path}`)
  return page
}

const readKeys = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const store = await adapters.openEventStore('events', adapters.createClock())
    return store.keys('', '\uffff')
  })

describe('the event store in Chromium', () => {
  it('commits writes that begin during pagehide', async () => {
    const page = await open()
    for (let visit = 0; visit < 10; visit++) {
      await page.evaluate(async (visit) => {
        const store = await adapters.openEventStore('events', adapters.createClock())
        addEventListener('pagehide', () => void store.write([[`e/${visit}`, 'written on pagehide']]))
      }, visit)
      await page.goto(`http://127.0.0.1:${pages.port}/${visit}`)
    }
    expect(await readKeys(page)).toHaveLength(10)
  })

  it('lets another tab delete the database, and creates it again', async () => {
    const [first, second] = [await open(), await open()]
    await first.evaluate(async () => {
      const store = await adapters.openEventStore('events', adapters.createClock())
      pageState.store = store
      await store.write([['a', '1']])
    })
    await second.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase('events')
          request.addEventListener('success', resolve)
          request.addEventListener('blocked', reject)
        }),
    )
    await first.evaluate(() => (pageState.store as EventStore).write([['b', '2']]))
    expect(await readKeys(second)).toEqual(['b'])
  })

  it("works after the site's data was deleted under an open connection", async () => {
    const page = await open()
    await page.evaluate(async () => {
      const store = await adapters.openEventStore('events', adapters.createClock())
      pageState.store = store
      await store.write([['a', '1']])
    })
    const session = await pages.context.newCDPSession(page)
    await session.send('Storage.clearDataForOrigin', { origin: `http://127.0.0.1:${pages.port}`, storageTypes: 'all' })
    await page.evaluate(() => (pageState.store as EventStore).write([['b', '2']]))
    expect(await readKeys(page)).toEqual(['b'])
  })
})

describe('the Web Lock', () => {
  /** Takes the lock until `pageState.end()`. Returns whether the lock was free. */
  const takeLock = (page: Page, steal?: boolean) =>
    page.evaluate(async (steal) => {
      const lock = adapters.createBrowserLock('lock')
      return new Promise<boolean>((resolve) => {
        const result = lock(() => {
          resolve(true)
          return new Promise<void>((end) => (pageState.end = end))
        }, steal)
        pageState.result = result
        void result.then(resolve)
      })
    }, steal)

  it('is held by one tab, refused to others at once, and free after the task', async () => {
    const [first, second] = [await open(), await open()]
    expect(await takeLock(first)).toBe(true)
    expect(await takeLock(second)).toBe(false)
    expect(
      await first.evaluate(() => {
        ;(pageState.end as () => void)()
        return pageState.result
      }),
    ).toBe(true)
    expect(await takeLock(second)).toBe(true)
  })

  it('can be stolen without an error in the former holder', async () => {
    const [first, second] = [await open(), await open()]
    const errors: Error[] = []
    first.on('pageerror', (error) => errors.push(error))
    expect(await takeLock(first)).toBe(true)
    expect(await takeLock(second, true)).toBe(true)
    expect(await takeLock(first)).toBe(false)
    expect(errors).toEqual([])
  })
})

it('releases the Web Lock when the tab that holds it is closed', async () => {
  const [first, second] = [await open(), await open()]
  const take = (page: Page) =>
    page.evaluate(() => {
      const lock = adapters.createBrowserLock('lock')
      return new Promise<boolean>((resolve) => {
        void lock(() => {
          resolve(true)
          return new Promise<void>(() => {})
        }).then(resolve)
      })
    })
  expect(await take(first)).toBe(true)
  expect(await take(second)).toBe(false)
  await first.close()
  await expect.poll(() => take(second)).toBe(true)
})

it('allows the back/forward cache, and receives messages of other tabs after it', async () => {
  const [first, second] = [await open('/one'), await open('/two')]
  await first.evaluate(async () => {
    const messages: unknown[] = []
    Object.assign(pageState, { messages, causes: [] })
    const store = await adapters.openEventStore('events', adapters.createClock())
    await store.write([['a', '1']])
    const lifecycle = adapters.createBrowserLifecycle()
    adapters.createBrowserChannel('tabs', lifecycle).onMessage((message) => messages.push(message))
    lifecycle.onWake((cause) => (pageState.causes as string[]).push(cause))
    lifecycle.onUnload(() => {})
  })
  await first.goto(`http://127.0.0.1:${pages.port}/elsewhere`)
  await first.goBack({ waitUntil: 'commit' })
  await expect.poll(() => first.evaluate(() => pageState.causes)).toContain('restored')
  await second.evaluate(() => {
    const channel = adapters.createBrowserChannel('tabs', adapters.createBrowserLifecycle())
    channel.onMessage(() => {})
    channel.post(['e/1'])
  })
  await expect.poll(() => first.evaluate(() => pageState.messages)).toEqual([['e/1']])
})

it('sends gzip to another origin without preflight or cookies', async () => {
  const page = await open()
  await pages.context.addCookies([{ name: 'session', value: 'secret', url: `http://shop.example.test:${pages.port}` }])
  const response = await page.evaluate(async (url) => {
    const send = adapters.createSend(adapters.createClock())
    const body = await adapters.createStreamCompressor()('{"é":1}')
    return send({ url, body, contentType: 'text/plain', timeoutMs: 5000, keepalive: true })
  }, `http://shop.example.test:${pages.port}/batch/`)
  expect(response).toEqual({ status: 429, body: 'later', retryAfter: '7' })
  expect(receivedRequests.map(({ method, path, cookie }) => [method, path, cookie])).toEqual([
    ['POST', '/batch/', undefined],
  ])
  expect(gunzipSync(receivedRequests[0]!.body).toString()).toBe('{"é":1}')
})

it('sends a beacon while the page is unloaded', async () => {
  const page = await open()
  await page.evaluate(() => {
    adapters.createBrowserLifecycle().onUnload(() => adapters.sendBeacon('/batch/', 'sent on unload', 'text/plain'))
  })
  await page.goto('about:blank')
  await expect.poll(() => receivedRequests.length).toBe(1)
  expect(receivedRequests[0]!.body.toString()).toBe('sent on unload')
})

it('shares the cookie key between the hosts of a site', async () => {
  const [shop, blog] = [await open('/', 'shop.example.test'), await open('/', 'blog.example.test')]
  const options = { crossSubdomainCookie: true }
  await shop.evaluate((options) => {
    const identity = { key: 'identity', toShared: (value: string) => value, merge: (shared: string) => shared }
    const store = adapters.createBrowserKeyValue('own_', options, identity, 'spill', () => {})
    store.set('identity', '{"id":"u;1"}')
    store.set('flags', '{}')
  }, options)
  const [identity, flags] = await blog.evaluate((options) => {
    const identity = { key: 'identity', toShared: (value: string) => value, merge: (shared: string) => shared }
    const store = adapters.createBrowserKeyValue('own_', options, identity, 'spill', () => {})
    return [store.get('identity'), store.get('flags')]
  }, options)
  expect([identity, flags]).toEqual(['{"id":"u;1"}', null])
  expect((await pages.context.cookies()).map(({ name, domain }) => [name, domain])).toEqual([
    ['own_identity', '.example.test'],
  ])
})
