import type { IncomingHttpHeaders } from 'node:http'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { startTracingHeaders } from '../../src/autocapture/tracing-headers.ts'
import { bundleSource } from '../support/bundle-source.ts'
import { servePages } from '../support/page-server.ts'

/** Globals of the page under test, in which each `evaluate` runs. */
declare const tracing: { startTracingHeaders: typeof startTracingHeaders }
declare const xhr: (url: string, headers?: Record<string, string>) => Promise<number>
declare let ids: [string, string] | undefined
declare let stop: () => void

const TRACED = ['user', 'session']
const UNTRACED = [undefined, undefined]

let html: string
let page: Page
let receivedHeaders: IncomingHttpHeaders[] = []

beforeAll(async () => {
  const { code: module } = await bundleSource('src/autocapture/tracing-headers.ts', 'es')
  html = `<!doctype html><title>page</title><script type="module">
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
})
const pages = servePages((request, response) => {
  if (request.url === '/page') return response.setHeader('Content-Type', 'text/html').end(html)
  // The browser may request the page's icon at any time.
  if (request.method !== 'OPTIONS' && request.url !== '/favicon.ico') receivedHeaders.push(request.headers)
  response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' })
  return response.end('ok')
})
beforeEach(async () => {
  page = await pages.context.newPage()
  await page.goto(`${pages.origin}/page`)
  await page.waitForFunction(() => document.title === 'ready')
  receivedHeaders = []
})

/** Starts tracing headers for these hosts. URLs with `/ours` count as the agent's own. */
const start = (hostnames: string[] = ['127.0.0.1']): Promise<void> =>
  page.evaluate((names) => {
    stop = tracing.startTracingHeaders(
      names,
      () => ids,
      (url) => url.includes('/ours'),
    )
  }, hostnames)

/** Takes the tracing headers that the server has received, request by request. */
const takeTraces = (): unknown[] =>
  receivedHeaders.splice(0).map((headers) => [headers['x-posthog-distinct-id'], headers['x-posthog-session-id']])

describe('tracing headers', () => {
  it('are sent with fetch and XMLHttpRequest to listed hosts, also for relative URLs', async () => {
    await start([' 127.0.0.1 ', 'LocalHost'])
    await page.evaluate(async (otherUrl) => {
      await fetch('/api')
      await fetch(new URL('/api', location.href))
      await fetch(new Request('/api', { method: 'POST', body: 'x' }))
      await window.fetch(otherUrl)
      await xhr('/api')
      await xhr(otherUrl)
    }, `http://localhost:${pages.port}/api`)
    expect(takeTraces()).toEqual(Array.from({ length: 6 }, () => TRACED))
  })

  it.each(['localhost', 'sub.127.0.0.1', '0.0.1', '127.0.0.1/api', 'http://127.0.0.1', ''])(
    'are not sent to 127.0.0.1 when the list has "%s"',
    async (hostname) => {
      await start([hostname])
      await page.evaluate(async () => {
        await fetch('/api')
        await xhr('/api')
      })
      expect(takeTraces()).toEqual([UNTRACED, UNTRACED])
    },
  )

  it('have the values at the time of the request', async () => {
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
    expect(takeTraces()).toEqual([TRACED, ['next', 'later']])
  })

  it("replace stale values, and keep the caller's headers and objects unchanged", async () => {
    await start()
    const callerValues = await page.evaluate(async () => {
      const stale = { 'X-PostHog-Distinct-Id': 'stale', 'X-Own': 'mine' }
      const headers = new Headers(stale)
      const request = new Request('/api', { headers })
      await fetch('/api', Object.freeze({ headers: stale }))
      await fetch('/api', { headers })
      await fetch(request)
      await xhr('/api', stale)
      return [
        stale['X-PostHog-Distinct-Id'],
        ...[headers, request.headers].map((headers) => headers.get('x-posthog-distinct-id')),
      ]
    })
    expect(callerValues).toEqual(['stale', 'stale', 'stale'])
    expect(receivedHeaders.map((headers) => headers['x-own'])).toEqual(['mine', 'mine', 'mine', 'mine'])
    expect(takeTraces()).toEqual(Array.from({ length: 4 }, () => TRACED))
  })

  it.each([
    ['an id that is invalid in a header', ['用户', 'session']],
    ['an id with a line break', ['user', 'a\nb']],
    ['no ids', undefined],
  ])('leave the request unchanged with %s', async (_case, newIds) => {
    await start()
    const status = await page.evaluate(async (value) => {
      ids = value as typeof ids
      const headers = { 'X-POSTHOG-DISTINCT-ID': 'own' }
      await fetch('/api', { headers })
      return xhr('/api', headers)
    }, newIds)
    expect(status).toBe(200)
    expect(takeTraces()).toEqual([
      ['own', undefined],
      ['own', undefined],
    ])
  })

  it('leave the request unchanged if reading the ids throws', async () => {
    await start()
    await page.evaluate(async () => {
      Object.defineProperty(window, 'ids', {
        get() {
          throw new Error('no ids')
        },
      })
      const headers = { 'X-POSTHOG-DISTINCT-ID': 'own' }
      await fetch('/api', { headers })
      await xhr('/api', headers)
    })
    expect(takeTraces()).toEqual([
      ['own', undefined],
      ['own', undefined],
    ])
  })

  it('keep the errors of the platform for an invalid URL', async () => {
    await start()
    const names = await page.evaluate(async () => {
      const errorName = (error: Error): string => error.name
      const request = new XMLHttpRequest()
      let openErrorName = ''
      try {
        request.open('GET', 'http://[')
      } catch (error) {
        openErrorName = (error as Error).name
      }
      return [await fetch('http://[').then(String, errorName), openErrorName]
    })
    expect(names).toEqual(['TypeError', 'SyntaxError'])
  })

  it("are not sent with the agent's own requests", async () => {
    await start()
    await page.evaluate(() => fetch('/ours'))
    expect(takeTraces()).toEqual([UNTRACED])
  })

  it('depend on the new URL of a reused XMLHttpRequest', async () => {
    await start()
    await page.evaluate(async (otherUrl) => {
      const request = new XMLHttpRequest()
      for (const url of ['/api', otherUrl, '/api'])
        await new Promise((resolve) => {
          request.open('GET', url)
          request.addEventListener('load', resolve)
          request.send()
        })
    }, `http://localhost:${pages.port}/api`)
    expect(takeTraces()).toEqual([TRACED, UNTRACED, TRACED])
  })

  it('restore the functions at the end, or become inactive below another wrapper', async () => {
    const areRestored = await page.evaluate(async () => {
      const { prototype } = XMLHttpRequest
      const originals = [fetch, prototype.open, prototype.send, prototype.setRequestHeader]
      const start = () =>
        tracing.startTracingHeaders(
          ['127.0.0.1'],
          () => ids,
          () => false,
        )
      start()()
      const currentFunctions = [fetch, prototype.open, prototype.send, prototype.setRequestHeader]
      stop = start()
      const innerFetch = window.fetch
      window.fetch = (...args) => innerFetch(...args)
      stop()
      await fetch('/api')
      return originals.every((method, index) => method === currentFunctions[index])
    })
    expect(areRestored).toBe(true)
    expect(takeTraces()).toEqual([UNTRACED])
  })

  it('are not sent from a page that has frozen its functions', async () => {
    await page.evaluate(() => Object.defineProperty(window, 'fetch', { value: fetch, writable: false }))
    await start()
    await page.evaluate(() => fetch('/api'))
    expect(takeTraces()).toEqual([UNTRACED])
  })
})
