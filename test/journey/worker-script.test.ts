import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, it } from 'vitest'
import { servePages } from '../support/page-server.ts'

interface DeliveredEvent {
  readonly uuid: string
  readonly event: string
  readonly properties: Record<string, unknown>
}

/** The worker's script. It captures an event with the query of its own URL. */
const WORKER = `
  importScripts('/waymark.js')
  waymark.init('key', { disableCompression: true, fetchRetryDelay: 100 })
  waymark.capture('from a worker', { search: location.search })
  waymark.flush()`

const SCRIPT = await readFile('dist/script.js')

let status = 200
let batches: DeliveredEvent[][] = []

const pages = servePages((request, response) => {
  const path = request.url!.split('?')[0]!
  if (request.method === 'GET') {
    const isScript = path.endsWith('.js')
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    return response.end(path === '/waymark.js' ? SCRIPT : isScript ? WORKER : '<!doctype html><title>page</title>')
  }
  return void text(request).then((body) => {
    if (path === '/batch/') batches.push((JSON.parse(body) as { batch: DeliveredEvent[] }).batch)
    response.writeHead(path === '/batch/' ? status : 200).end('{"status":1,"featureFlags":{}}')
  })
})
beforeEach(() => {
  batches = []
  status = 200
})

const open = async () => {
  const page = await pages.context.newPage()
  await page.goto(pages.origin)
  return page
}

describe('the script in a worker', () => {
  it.each(['service worker', 'web worker'])('delivers events from a %s', async (kind) => {
    const page = await open()
    await page.evaluate(async (kind) => {
      if (kind === 'web worker') Object.assign(globalThis, { worker: new Worker('/worker.js?1') })
      else await navigator.serviceWorker.register('/worker.js?1')
    }, kind)
    await expect.poll(() => batches.length).toBe(1)
    const [event] = batches[0]!
    expect(event).toMatchObject({ event: 'from a worker', properties: { search: '?1', $lib: 'waymark' } })
    expect(event!.properties).toHaveProperty('$raw_user_agent')
    expect(event!.properties).not.toHaveProperty('$current_url')
  })

  it('keeps events while the service is down, and the next worker delivers them once', async () => {
    status = 503
    const page = await open()
    const worker = await page.evaluateHandle(() => new Worker('/worker.js?1'))
    await expect.poll(() => batches.length).toBeGreaterThan(0)
    await page.evaluate((worker) => worker.terminate(), worker)
    // The worker may end after the call has returned, because a request was in flight.
    await expect.poll(() => page.evaluate(() => navigator.locks.query().then(({ held }) => held))).toEqual([])
    const [firstEvent] = batches[0]!
    status = 200
    batches = []
    await page.evaluate(() => void new Worker('/worker.js?2'))
    const events = () => batches.flat()
    await expect.poll(() => events().length).toBe(2)
    expect(events().map(({ properties }) => properties.search)).toEqual(['?1', '?2'])
    expect(events()[0]!.uuid).toBe(firstEvent!.uuid)
  })
})
