import { mkdtemp, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/index.ts'
import { servePages } from '../support/page-server.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark

/** The built agent behind proxies as sites have them, and in browsers that are wrong about themselves. */

let folder: string
let script: string
let service: RunningService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-proxies-'))
  script = await readFile('dist/script.js', 'utf8')
  service = await startJourneyService(join(folder, 'data'))
  service.setFlags([{ key: 'on', active: true, filters: { groups: [{ properties: [], rollout_percentage: 100 }] } }])
})
afterAll(async () => {
  await service?.kill()
  await removeFolder(folder)
})

/** One request below `/ingest`: its path, and whether its body is JSON. */
interface ProxyRequest {
  readonly path: string
  readonly isPlain: boolean
}

let requests: ProxyRequest[]
/** What the proxy does with a request. Returns false when it has answered it itself. */
let handle: (path: string, response: ServerResponse) => boolean
/** How the proxy reads a body. */
let readBody: (body: Buffer) => Buffer | string
beforeEach(() => {
  requests = []
  handle = () => true
  readBody = (body) => body
})

const proxy = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = request.url!.slice('/ingest'.length)
  const body = await buffer(request)
  requests.push({ path, isPlain: body[0] === '{'.charCodeAt(0) })
  if (!handle(path, response)) return
  const answer = await fetch(service.url + path, {
    method: request.method!,
    headers: { 'Content-Type': request.headers['content-type'] ?? 'text/plain' },
    ...(request.method === 'POST' && { body: readBody(body) as BodyInit }),
  })
  response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text())
}

const site = servePages((request, response) => {
  const path = request.url!
  if (path.startsWith('/ingest/')) void proxy(request, response)
  else if (path === '/waymark.js') response.setHeader('Content-Type', 'text/javascript').end(script)
  else {
    const flushInterval = path === '/later' ? 60_000 : 200
    const options = JSON.stringify({ capturePageview: false, flushInterval, fetchRetryDelay: 200 })
    const tag = `<script defer src="/waymark.js" data-key="${service.apiKey}" data-host="/ingest" data-options='${options}'>`
    const html = `<!doctype html><title>A shop</title><link rel="icon" href="data:,">${path === '/blank' ? '' : `${tag}</script>`}`
    response.setHeader('Content-Type', 'text/html').end(html)
  }
})

const open = async (init?: () => void, path = '/'): Promise<Page> => {
  const page = await site.context.newPage()
  if (init) await page.addInitScript(init)
  await page.goto(site.origin + path)
  return page
}

/** Captures an event with this name, and waits until it is delivered or the attempts have failed. */
const deliver = (page: Page, name: string): Promise<void> =>
  page.evaluate((event) => {
    waymark.capture(event, { text: 'x'.repeat(300) })
    return waymark.flush()
  }, name)

/** Captures an event, and leaves the page at once. */
const captureAndLeave = (page: Page, name: string): Promise<void> =>
  page.evaluate((event) => {
    waymark.capture(event, { text: 'x'.repeat(300) })
    location.href = '/blank'
  }, name)

const expectStored = (...names: readonly string[]): Promise<void> =>
  expect
    .poll(() => service.query(`select event from events where event in ('${names.join("','")}') order by event`))
    .toEqual(names.map((name) => [name]))

/** As Next.js answers rewritten paths. */
const redirectSlash = (path: string, response: ServerResponse): boolean => {
  const [pathname, search] = path.split('?')
  if (!pathname!.endsWith('/')) return true
  const location = `/ingest${pathname!.slice(0, -1)}${search ? `?${search}` : ''}`
  response.writeHead(308, { Location: location }).end()
  return false
}

it('delivers events, flags and beacons through a proxy that redirects the slash at the end', async () => {
  handle = redirectSlash
  const page = await open()
  await deliver(page, 'slash 1')
  await expect.poll(() => page.evaluate(() => waymark.isFeatureEnabled('on'))).toBe(true)
  await captureAndLeave(page, 'slash 2')
  await expectStored('slash 1', 'slash 2')
  // The next page knows the form that works.
  requests = []
  const next = await open()
  await deliver(next, 'slash 3')
  await expectStored('slash 3')
  expect(requests.map(({ path }) => path).filter((path) => /\/(\?|$)/.test(path))).toEqual([])
})

it('delivers the beacon of a page that is left before its first request', async () => {
  handle = redirectSlash
  await captureAndLeave(await open(undefined, '/later'), 'slash, left at once')
  await expectStored('slash, left at once')
})

it('delivers through a proxy that reads bodies as strings, and then sends plain JSON', async () => {
  readBody = (body) => body.toString('utf8')
  const page = await open()
  await deliver(page, 'string 1')
  await expectStored('string 1')
  requests = []
  const next = await open()
  await deliver(next, 'string 2')
  await captureAndLeave(next, 'string 3')
  await expectStored('string 2', 'string 3')
  expect(requests.filter(({ path, isPlain }) => path === '/batch/' && !isPlain)).toEqual([])
})

it('delivers both through a proxy that redirects and one that reads strings', async () => {
  handle = redirectSlash
  readBody = (body) => body.toString('utf8')
  await deliver(await open(), 'both')
  await expectStored('both')
})

it('delivers beside a compressor that ends early without an error', async () => {
  const page = await open(() => {
    const Native = CompressionStream
    const cut = (): TransformStream<Uint8Array, Uint8Array> =>
      new TransformStream({ transform: (chunk, controller) => controller.enqueue(chunk.slice(0, chunk.length - 20)) })
    globalThis.CompressionStream = class {
      readonly readable: ReadableStream
      readonly writable: WritableStream
      constructor(format: CompressionFormat) {
        const native = new Native(format)
        this.writable = native.writable
        this.readable = native.readable.pipeThrough(cut() as never)
      }
    }
  })
  await deliver(page, 'cut')
  await expectStored('cut')
})

it('delivers where the browser says that it is offline, although it is not', async () => {
  const page = await open(() => Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false }))
  await deliver(page, 'offline')
  await expectStored('offline')
})

it('stores events where the database exists without its object store', async () => {
  const blank = await site.context.newPage()
  await blank.goto(`${site.origin}/blank`)
  const name = `waymark:/ingest:${service.apiKey}`
  await blank.evaluate(
    (database) =>
      new Promise<void>((resolve) => {
        const request = indexedDB.open(database)
        request.onsuccess = () => (request.result.close(), resolve())
      }),
    name,
  )
  const page = await open()
  const warnings: string[] = []
  page.on('console', (message) => warnings.push(message.text()))
  await deliver(page, 'mended')
  await expectStored('mended')
  const stores = await page.evaluate(
    (database) =>
      new Promise<string>((resolve) => {
        const request = indexedDB.open(database)
        request.onsuccess = () => (resolve([...request.result.objectStoreNames].join()), request.result.close())
      }),
    name,
  )
  expect([stores, warnings]).toEqual(['records', []])
})
