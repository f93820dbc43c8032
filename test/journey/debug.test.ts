import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { servePages } from '../support/page-server.ts'

/** Allows no inline script, no eval, no other origin, and no string where a script is expected. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'"

let policy: string
let tag: string
let status: number
let body: string
let hasChunk: boolean
let requestedPaths: string[]
let tracedIds: unknown[]

const FILES: Readonly<Record<string, Buffer>> = {
  '/waymark.js': await readFile('dist/script.js'),
  '/waymark-debug.js': await readFile('dist/waymark-debug.js'),
  '/waymark-tracing.js': await readFile('dist/waymark-tracing.js'),
}

const pages = servePages((request, response) => {
  const path = request.url!.split('?')[0]!
  if (request.method !== 'GET')
    return void buffer(request).then(() =>
      response
        .writeHead(path === '/batch/' ? status : 200)
        .end(path === '/batch/' ? body : '{"featureFlags":{"beta":true}}'),
    )
  requestedPaths.push(path)
  tracedIds.push(request.headers['x-posthog-distinct-id'])
  const file = FILES[path]
  if (path === '/waymark-debug.js' && !hasChunk) return response.writeHead(404).end()
  response
    .setHeader('Content-Type', file ? 'text/javascript' : 'text/html')
    .setHeader('Content-Security-Policy', policy)
  return response.end(file ?? `<!doctype html><title>page</title>${tag}`)
})
beforeEach(() => {
  policy = POLICY
  tag = '<script defer src="/waymark.js" data-key="key" data-debug></script>'
  status = 200
  body = '{"status":1}'
  hasChunk = true
  requestedPaths = []
  tracedIds = []
})

const open = async (): Promise<{ readonly page: Page; readonly lines: string[] }> => {
  const page = await pages.context.newPage()
  const lines: string[] = []
  page.on('console', (message) => lines.push(message.text()))
  page.on('pageerror', (error) => lines.push(`page error: ${error.message}`))
  await page.goto(pages.origin)
  return { page, lines }
}

/** The agent's verbs in the page. */
type Global = { readonly waymark: Record<string, (...args: unknown[]) => unknown> }

const call = (page: Page, verb: string, ...args: unknown[]): Promise<unknown> =>
  page.evaluate(([verb, args]) => (globalThis as unknown as Global).waymark[verb]!(...args), [verb, args] as const)

const waitForLine = (lines: readonly string[], pattern: RegExp): Promise<void> =>
  expect.poll(() => lines.join('\n')).toMatch(pattern)

describe('debug mode of the script tag', () => {
  it('prints under a strict CSP what the agent does, from the first event', async () => {
    const { page, lines } = await open()
    await waitForLine(lines, /captured "\$pageview" [\da-f-]{36}/)
    // It is told with the first save. A change before that has no earlier value.
    await waitForLine(lines, /identity: distinctId: "[\da-f-]{36}" \(new\)/)
    await call(page, 'identify', 'user-1')
    await call(page, 'flush')
    await waitForLine(lines, /flags loaded: 1; beta: true \(new\)/)
    await waitForLine(lines, /distinctId: "[\da-f-]{36}" -> "user-1"/)
    await waitForLine(lines, /\d events? to http.*\/batch\/ \(\d+ bytes, gzip of \d+ bytes\): 200 after \d+ ms/)
    await call(page, 'optOut')
    await call(page, 'capture', 'ignored')
    await waitForLine(lines, /isOptedOut: false -> true/)
    await waitForLine(lines, /dropped "ignored" [\da-f-]{36}: opted_out/)
    expect(lines.join('\n')).not.toMatch(/page error|Refused|violates/)
  })

  it('prints the back-off, and getStatus() tells the same', async () => {
    status = 503
    const { page, lines } = await open()
    await call(page, 'flush')
    await waitForLine(lines, /attempt failed: .*\/batch\/ answered 503; next attempt at \d\d:/)
    expect(await call(page, 'getStatus')).toMatchObject({
      waitingEvents: 1,
      lastDelivery: undefined,
      lastError: `${pages.origin}/batch/ answered 503`,
    })
  })

  it('loads the sentences with the nonce of the script tag', async () => {
    policy = "default-src 'none'; script-src 'nonce-abc'; connect-src 'self'"
    tag = tag.replace('<script', '<script nonce="abc"')
    const { lines } = await open()
    await waitForLine(lines, /captured "\$pageview"/)
  })

  it('prints plain entries when the chunk is missing', async () => {
    hasChunk = false
    const { lines } = await open()
    await waitForLine(lines, /\[waymark\] captured \{"/)
  })

  it('loads nothing without debug mode and without mistakes', async () => {
    tag = tag.replace(' data-debug', '')
    const { page, lines } = await open()
    await call(page, 'capture', 'bought')
    await call(page, 'flush')
    expect(requestedPaths.filter((path) => path.endsWith('.js'))).toEqual(['/waymark.js'])
    expect(lines).toEqual([])
  })
})

describe('mistakes, without debug mode', () => {
  it.each([
    ['api_host', /"api_host" is not an option of init\(\) and is ignored\. Use "host"\./],
    ['capturePageView', /"capturePageView" is not an option of init\(\) and is ignored\. Use "capturePageview"\./],
    ['captureScreen', /"captureScreen" is an option of the extras/],
  ])('the option %s is reported with what to use instead', async (name, sentence) => {
    tag = `<script defer src="/waymark.js" data-key="key" data-options='{"${name}":false,"persistence":"memory"}'></script>`
    const { lines } = await open()
    await waitForLine(lines, sentence)
    expect(lines).toHaveLength(1)
  })

  it.each([
    ['without data-key', '<script defer src="/waymark.js"></script>'],
    ['of type="module"', '<script type="module" src="/waymark.js" data-key="key"></script>'],
  ])('a script tag %s is reported', async (_, wrongTag) => {
    tag = wrongTag
    const { lines } = await open()
    await waitForLine(lines, /no_key|the script tag has no data-key/)
  })

  it('a page of another server keeps the events, and its URL is reported', async () => {
    body = '<html>Welcome to nginx</html>'
    tag = tag.replace(' data-debug', '')
    const { page, lines } = await open()
    await call(page, 'flush')
    await waitForLine(lines, /events not delivered: http.*\/batch\/ answered 200 not the service/)
    expect(await call(page, 'getStatus')).toMatchObject({ waitingEvents: 1 })
  })

  it("an unknown project key is reported in the service's words", async () => {
    status = 401
    body =
      '{"type":"authentication_error","code":"invalid_api_key","detail":"There is no project with this key.","attr":null}'
    tag = tag.replace(' data-debug', '')
    const { page, lines } = await open()
    await call(page, 'flush')
    await waitForLine(lines, /answered 401 There is no project with this key\./)
  })
})

it('the script loads the chunk of tracing headers when the option is set', async () => {
  tag = `<script defer src="/waymark.js" data-key="key" data-options='{"tracingHeaders":["127.0.0.1"]}'></script>`
  const { page, lines } = await open()
  const id = await call(page, 'getDistinctId')
  await vi.waitFor(async () => {
    await page.evaluate(() => fetch('/api'))
    expect(tracedIds.at(-1)).toBe(id)
  }, 20_000)
  expect(lines).toEqual([])
})
