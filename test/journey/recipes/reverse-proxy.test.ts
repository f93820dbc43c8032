import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { TestContext } from 'vitest'
import { openEventStream } from '../../service/support/event-stream.ts'
import { launch } from '../../support/browser.ts'
import { CADDY, isInstalled, NGINX, startProxy } from '../../support/proxy-program.ts'
import type { ProxyProgram } from '../../support/proxy-program.ts'
import { fillIn, readBlocks, RECIPES } from '../../support/readme-blocks.ts'
import { startRecordingProxy } from '../sdk/recording-proxy.ts'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { removeFolder } from '../../support/remove-folder.ts'

/** Not the one of the browser. Linux has all addresses of 127.0.0.0/8. */
const VISITOR_IP = '127.0.0.2'

let folder: string
let service: RunningService
let browser: Browser

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-proxy-'))
  ;[service, browser] = await Promise.all([
    startJourneyService(join(folder, 'data'), ['--trust-proxy', 'true', '--store-addresses', 'true']),
    launch(),
  ])
})
afterAll(async () => {
  await service?.kill()
  await browser?.close()
  await removeFolder(folder)
})

/** Returns a block of the recipe, with an upstream in place of the service on its usual port. */
const findBlock = (language: string, upstream: { readonly url: string } = service): string => {
  const block = readBlocks(RECIPES).find((each) => each.language === language && /proxy|nginx|Caddy/.test(each.section))
  return fillIn(block!.code, service).replaceAll('127.0.0.1:8010', new URL(upstream.url).host)
}

const skipIfMissing = (program: ProxyProgram, context: TestContext): void => {
  if (!isInstalled(program)) context.skip(`${program.name} is not installed: apt-get install ${program.name}`)
}

/** Sends an event from another address, which claims to come from a third one. */
const sendEvent = (url: string, event: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { 'X-Forwarded-For': '203.0.113.9', Cookie: 'session=secret' }
    request(`${url}/i/v0/e/`, { method: 'POST', localAddress: VISITOR_IP, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end(JSON.stringify({ api_key: service.apiKey, event, distinct_id: 'ada' }))
  })

describe.each([NGINX, CADDY])('the recipe for $name', (program) => {
  it('passes pages, visitors, cached scripts and streams on to the service', async (context) => {
    skipIfMissing(program, context)
    const { name } = program
    const html = `<!doctype html><title>${name}</title><link rel="icon" href="data:,">${findBlock('html')}`
    const proxy = await startProxy(program, join(folder, name), findBlock(name), html)
    onTestFinished(proxy.close)
    const ingest = `${proxy.url}/ingest`
    const stream = await openEventStream(`${ingest}/flags/stream?token=${service.apiKey}`, {
      authorization: `Bearer ${service.personalApiKey}`,
    })
    // The page sends gzip.
    const page = await browser.newPage()
    const responses: string[] = []
    page.on('response', (response) => responses.push(`${response.status()} ${new URL(response.url()).pathname}`))
    await page.goto(`${proxy.url}/`)
    await page.evaluate(async (event) => {
      window.waymark!.capture(event)
      await window.waymark!.flush()
    }, `page of ${name}`)
    // The flags may arrive after the events.
    await expect
      .poll(() => responses)
      .toEqual(expect.arrayContaining(['200 /ingest/waymark.js', '200 /ingest/batch/', '200 /ingest/decide/']))

    expect(await sendEvent(ingest, `visitor of ${name}`)).toBe(200)
    await expect
      .poll(() =>
        service.query(`SELECT event, properties->>'$ip' FROM events WHERE event LIKE '% of ${name}' ORDER BY event`),
      )
      .toEqual([
        [`page of ${name}`, '127.0.0.1'],
        [`visitor of ${name}`, VISITOR_IP],
      ])

    const script = await fetch(`${ingest}/waymark.js`, { headers: { 'Accept-Encoding': 'br' } })
    expect(script.headers.get('content-encoding')).toBe('br')
    expect(script.headers.get('cache-control')).toContain('max-age=300')
    const etag = script.headers.get('etag')!
    const again = await fetch(`${ingest}/waymark.js`, { headers: { 'If-None-Match': etag, 'Accept-Encoding': 'br' } })
    expect(again.status).toBe(304)

    await stream.next()
    service.setFlags([{ key: `flag-of-${name}`, active: true, filters: { groups: [{}] } }])
    expect((await stream.next())!.data.flags.map(({ key }) => key)).toContain(`flag-of-${name}`)
  })

  it('passes large compressed bodies unchanged, without the cookies of the site', async (context) => {
    skipIfMissing(program, context)
    const recorder = await startRecordingProxy(service.url)
    onTestFinished(recorder.close)
    const proxy = await startProxy(
      program,
      join(folder, `${program.name}-recorded`),
      findBlock(program.name, recorder),
      '',
    )
    onTestFinished(proxy.close)
    // More than the megabyte that nginx allows by default.
    const padding = randomBytes(1_500_000).toString('base64')
    const body = gzipSync(JSON.stringify({ api_key: service.apiKey, batch: [], padding }))
    const response = await fetch(`${proxy.url}/ingest/batch/`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain', Cookie: 'session=secret' },
      body,
    })
    expect(response.status).toBe(200)
    const [request] = recorder.requests
    expect(request!.body.equals(body)).toBe(true)
    expect(request!.headers.cookie).toBeUndefined()
  })
})
