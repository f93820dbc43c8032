import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import ts from 'typescript'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { startTracingHeaders } from '../../src/autocapture/tracing-headers.ts'
import { TRACING_HEADERS } from '../../src/wire/tracing-header.ts'
import { launch } from '../support/browser.ts'

/** What the page under test has; each `evaluate` below runs in it. */
declare const tracing: { startTracingHeaders: typeof startTracingHeaders }
declare const xhr: (url: string, headers?: Record<string, string>) => Promise<number>
declare let ids: [string, string] | undefined
declare let stop: () => void

const TRACED = ['user', 'session']
const UNTRACED = [undefined, undefined]

let server: Server
let browser: Browser
let page: Page
let port: number
let seen: IncomingHttpHeaders[] = []

beforeAll(async () => {
  // One file alone is loaded into the page: what it imports stands in it.
  const source = readFileSync('src/autocapture/tracing-headers.ts', 'utf8').replace(
    /import .* from '..\/wire\/tracing-header.ts'/,
    `const TRACING_HEADERS = ${JSON.stringify(TRACING_HEADERS)}`,
  )
  const module = ts.transpileModule(source, { compilerOptions: { target: ts.ScriptTarget.ES2020 } }).outputText
  const html = `<!doctype html><title>page</title><script type="module">
    const url = URL.createObjectURL(new Blob([${JSON.stringify(module)}], { type: 'text/javascript' }))
    window.tracing = await import(url)
    window.ids = ['user', 'session']
    window.xhr = (url, headers = {}) => new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open('GET', url)
      for (const name in headers) request.setRequestHeader(name, headers[name])
      request.onload = () => resolve(request.status)
      request.onerror = reject
      request.send()
    })
    document.title = 'ready'
  </script>`
  server = createServer((request, response) => {
    if (request.url === '/page') return response.setHeader('Content-Type', 'text/html').end(html)
    // The browser asks for the page's icon when it likes.
    if (request.method !== 'OPTIONS' && request.url !== '/favicon.ico') seen.push(request.headers)
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' })
    return response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  server?.close()
})
beforeEach(async () => {
  page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${port}/page`)
  await page.waitForFunction(() => document.title === 'ready')
  seen = []
})
afterEach(() => page.close())

/** Starts the headers on the page for these hosts; addresses with `/ours` are the agent's own. */
const start = (hostnames: string[] = ['127.0.0.1']): Promise<void> =>
  page.evaluate((names) => {
    stop = tracing.startTracingHeaders(
      names,
      () => ids,
      (url) => url.includes('/ours'),
    )
  }, hostnames)

/** What the server saw of the tracing headers, request by request. */
const traces = (): unknown[] =>
  seen.splice(0).map((headers) => [headers['x-posthog-distinct-id'], headers['x-posthog-session-id']])

describe('tracing headers', () => {
  it('go with fetch and XMLHttpRequest to a host on the list, relative addresses too', async () => {
    await start([' 127.0.0.1 ', 'LocalHost'])
    await page.evaluate(async (far) => {
      await fetch('/api')
      await fetch(new URL('/api', location.href))
      await fetch(new Request('/api', { method: 'POST', body: 'x' }))
      await window.fetch(far)
      await xhr('/api')
      await xhr(far)
    }, `http://localhost:${port}/api`)
    expect(traces()).toEqual(Array.from({ length: 6 }, () => TRACED))
  })

  it.each(['localhost', 'sub.127.0.0.1', '0.0.1', '127.0.0.1/api', 'http://127.0.0.1', ''])(
    'go to no host but those on the list: "%s" is not 127.0.0.1',
    async (hostname) => {
      await start([hostname])
      await page.evaluate(async () => {
        await fetch('/api')
        await xhr('/api')
      })
      expect(traces()).toEqual([UNTRACED, UNTRACED])
    },
  )

  it('have the values of the moment of the request', async () => {
    await start()
    await page.evaluate(async () => {
      await fetch('/api')
      const request = new XMLHttpRequest()
      request.open('GET', '/api')
      ids = ['next', 'later']
      await new Promise((resolve) => {
        request.addEventListener('load', resolve)
        request.send()
      })
    })
    expect(traces()).toEqual([TRACED, ['next', 'later']])
  })

  it('stand in place of stale ones, beside the other headers of the caller, whose objects stay as they are', async () => {
    await start()
    const kept = await page.evaluate(async () => {
      const stale = { 'X-PostHog-Distinct-Id': 'stale', 'X-Own': 'mine' }
      const headers = new Headers(stale)
      const request = new Request('/api', { headers })
      await fetch('/api', Object.freeze({ headers: stale }))
      await fetch('/api', { headers })
      await fetch(request)
      await xhr('/api', stale)
      return [
        stale['X-PostHog-Distinct-Id'],
        ...[headers, request.headers].map((all) => all.get('x-posthog-distinct-id')),
      ]
    })
    expect(kept).toEqual(['stale', 'stale', 'stale'])
    expect(seen.map((headers) => headers['x-own'])).toEqual(['mine', 'mine', 'mine', 'mine'])
    expect(traces()).toEqual(Array.from({ length: 4 }, () => TRACED))
  })

  it.each([
    ['an id that no header can carry', ['用户', 'session']],
    ['an id with a line break', ['user', 'a\nb']],
    ['no ids to tell', undefined],
  ])('with %s, the request goes out as the page made it', async (_what, given) => {
    await start()
    const status = await page.evaluate(async (value) => {
      ids = value as typeof ids
      const headers = { 'X-POSTHOG-DISTINCT-ID': 'given' }
      await fetch('/api', { headers })
      return xhr('/api', headers)
    }, given)
    expect(status).toBe(200)
    expect(traces()).toEqual([
      ['given', undefined],
      ['given', undefined],
    ])
  })

  it('with ids that cannot be read, the request goes out as the page made it', async () => {
    await start()
    await page.evaluate(async () => {
      Object.defineProperty(window, 'ids', {
        get() {
          throw new Error('no ids')
        },
      })
      const headers = { 'X-POSTHOG-DISTINCT-ID': 'given' }
      await fetch('/api', { headers })
      await xhr('/api', headers)
    })
    expect(traces()).toEqual([
      ['given', undefined],
      ['given', undefined],
    ])
  })

  it('leave it to the platform to say what is wrong with an address', async () => {
    await start()
    const names = await page.evaluate(async () => {
      const failure = (error: Error): string => error.name
      const request = new XMLHttpRequest()
      let opened = ''
      try {
        request.open('GET', 'http://[')
      } catch (error) {
        opened = (error as Error).name
      }
      return [await fetch('http://[').then(String, failure), opened]
    })
    expect(names).toEqual(['TypeError', 'SyntaxError'])
  })

  it("do not go with the agent's own requests", async () => {
    await start()
    await page.evaluate(() => fetch('/ours'))
    expect(traces()).toEqual([UNTRACED])
  })

  it('of an XMLHttpRequest that is used again follow its new address', async () => {
    await start()
    await page.evaluate(async (far) => {
      const request = new XMLHttpRequest()
      for (const url of ['/api', far, '/api'])
        await new Promise((resolve) => {
          request.open('GET', url)
          request.addEventListener('load', resolve)
          request.send()
        })
    }, `http://localhost:${port}/api`)
    expect(traces()).toEqual([TRACED, UNTRACED, TRACED])
  })

  it('end with the functions given back, or idle below what somebody else has put on top', async () => {
    const isOwn = await page.evaluate(async () => {
      const { prototype } = XMLHttpRequest
      const own = [fetch, prototype.open, prototype.send, prototype.setRequestHeader]
      const start = () =>
        tracing.startTracingHeaders(
          ['127.0.0.1'],
          () => ids,
          () => false,
        )
      start()()
      const restored = [fetch, prototype.open, prototype.send, prototype.setRequestHeader]
      stop = start()
      const patched = window.fetch
      window.fetch = (...args) => patched(...args)
      stop()
      await fetch('/api')
      return own.every((method, index) => method === restored[index])
    })
    expect(isOwn).toBe(true)
    expect(traces()).toEqual([UNTRACED])
  })

  it('leave alone a page that has frozen its functions', async () => {
    await page.evaluate(() => Object.defineProperty(window, 'fetch', { value: fetch, writable: false }))
    await start()
    await page.evaluate(() => fetch('/api'))
    expect(traces()).toEqual([UNTRACED])
  })
})
