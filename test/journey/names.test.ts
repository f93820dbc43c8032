import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { BrowserContext, Page } from 'playwright-core'
import { rollup } from 'rollup'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import type { BrowserOptions, OutgoingEvent, SendReport, Waymark } from '../../src/entry/index.ts'
import { servePages } from '../support/page-server.ts'

/**
 * The minifier shortens property names in the built script. This test compares the script with its sources: all names that it sends, stores
 * or passes to the page must be the same.
 */

declare const waymark: Waymark & { init(key: string, options: BrowserOptions): Waymark }
declare const callbacks: unknown[]

/** Arguments of each verb. Other verbs are called with a string and an object. */
const VERB_ARGUMENTS: Record<string, unknown[]> = {
  capture: ['bought', { item: 'tea' }, { timestamp: new Date(0) }],
  pageview: [{ section: 'teas' }],
  identify: ['user-1', { email: 'a@example.com' }, { first_seen: 'today' }],
  group: ['company', 'acme', { seats: 5 }],
  register: [{ plan: 'pro' }],
  unregister: ['plan'],
  onFeatureFlags: [],
  isFeatureEnabled: ['unknown', { defaultValue: true }],
  getFeatureFlag: ['hero'],
  getFeatureFlagPayload: ['hero'],
  surveySent: [
    'survey-1',
    { q1: 'Great', q2: ['a'] },
    { questions: { q1: 'How?' }, submissionId: 's', completed: false },
  ],
  surveyShown: ['survey-1', { name: 'Happy?', iteration: 2, iterationStartDate: '2026-01-01' }],
  surveyDismissed: ['survey-1', { partiallyCompleted: true }],
  flush: [],
  shutdown: [1],
  debug: [false],
}

/** Verbs that are called last, because they end what the other verbs need: the identity, the consent or the agent. */
const LAST_VERBS = ['reset', 'optOut', 'optIn', 'flush', 'shutdown']

const FLAG_RESPONSES = {
  v3: {
    featureFlags: { hero: 'calm', beta: false },
    featureFlagPayloads: { hero: '{"colour":"green"}' },
    errorsWhileComputingFlags: false,
    supportedCompression: ['lz64'],
    requestId: 'request',
    quotaLimited: [],
  },
  v2: {
    flags: {
      hero: {
        key: 'hero',
        enabled: true,
        variant: 'calm',
        reason: { code: 'condition_match', condition_index: 0, description: 'matched' },
        metadata: { id: 7, version: 3, payload: '{"colour":"green"}', has_experiment: false },
      },
      broken: { key: 'broken', enabled: false, failed: true },
    },
    errorsWhileComputingFlags: true,
    requestId: 'request',
  },
}

const bundleSources = async (): Promise<string> => {
  const built = await rollup({
    input: 'src/entry/script.ts',
    plugins: [
      {
        name: 'strip-types',
        transform: (code: string, id: string) =>
          id.endsWith('.ts')
            ? ts.transpileModule(code, {
                compilerOptions: { target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ESNext },
              }).outputText
            : undefined,
      },
      nodeResolve({ browser: true }),
      commonjs(),
    ],
  })
  const { output } = await built.generate({ format: 'iife' })
  await built.close()
  return output[0].code
}

let scripts: { sources: string; built: string }
let script = ''
let status = 200
let requests: unknown[] = []

beforeAll(async () => {
  scripts = { sources: await bundleSources(), built: await readFile('dist/script.js', 'utf8') }
})
const pages = servePages((request, response) => {
  const url = request.url!
  if (request.method === 'GET') {
    response.setHeader('Content-Type', 'text/html')
    return response.end(
      url.startsWith('/page')
        ? `<!doctype html><title>page</title><script>${script.replaceAll('</', '<\\/')}</script>`
        : '',
    )
  }
  return void text(request).then((body) => {
    requests.push([url, body.startsWith('{') ? JSON.parse(body) : body])
    const isFlags = /^\/(decide|flags)/.test(url)
    response.writeHead(isFlags ? 200 : status, { 'Retry-After': '3600', 'Content-Type': 'application/json' })
    response.end(JSON.stringify(isFlags ? FLAG_RESPONSES[url.startsWith('/flags') ? 'v2' : 'v3'] : { status: 1 }))
  })
})

/** Reads everything that the browser stores for the site. */
const readStorage = (page: Page) =>
  page.evaluate(async () => {
    const parse = (value: string): unknown => {
      try {
        return JSON.parse(value)
      } catch {
        return value
      }
    }
    const entriesOf = (storage: Storage) =>
      Object.keys(storage)
        .sort()
        .map((key) => [key, parse(storage.getItem(key)!)])
    const records: unknown[] = []
    for (const { name } of await indexedDB.databases()) {
      const db = await new Promise<IDBDatabase>((resolve) => {
        const opening = indexedDB.open(name!)
        opening.addEventListener('success', () => resolve(opening.result))
      })
      const store = db.transaction('records').objectStore('records')
      const [keys, values] = await Promise.all(
        [store.getAllKeys(), store.getAll()].map(
          (request) =>
            new Promise<unknown[]>((resolve) => request.addEventListener('success', () => resolve(request.result))),
        ),
      )
      db.close()
      records.push(...keys!.map((key, index) => [key, parse(values![index] as string)]))
    }
    return { local: entriesOf(localStorage), session: entriesOf(sessionStorage), records, cookie: document.cookie }
  })

/**
 * Lists every path of names with its string values, each once. Leaves out what differs between runs: order, ids, times and numbers.
 */
const outline = (value: unknown): readonly string[] => {
  const lines = new Set<string>()
  const visit = (inner: unknown, path: string): void => {
    if (Array.isArray(inner)) inner.forEach((item) => visit(item, `${path}[]`))
    else if (inner && typeof inner === 'object')
      Object.entries(inner).forEach(([name, item]) => visit(item, `${path}.${name}`))
    else lines.add(`${path}: ${typeof inner === 'string' ? inner : typeof inner}`)
  }
  visit(value, '')
  const stableLines = [...lines].map((line) =>
    line
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-7[\da-f-]{21}/g, 'uuid')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replaceAll(/(?<=\be\/)[\da-z]{15}[\da-f]{6}~\w+|(?<=\bc\/\w+\/)[\da-f]{6}/g, 'key')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'host')
      .replaceAll(/\d{13}/g, 'ms'),
  )
  return [...new Set(stableLines)].sort()
}

const start = async (context: BrowserContext, options: BrowserOptions): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(`${pages.origin}/page?utm_source=ad`)
  await page.evaluate((options) => {
    Object.assign(globalThis, { callbacks: [] })
    waymark.init('key', {
      ...options,
      onDrop: (event: OutgoingEvent, reason: string) => void callbacks.push([reason, event]),
      onSend: ({ ...report }: SendReport) => void callbacks.push(report),
      before_send: (event: OutgoingEvent) => {
        callbacks.push({ ...event })
        return event.event === 'refused' ? null : event
      },
    })
  }, options as object)
  return page
}

/** Runs one script in a new profile, and outlines what it does. */
const trace = async (code: string, options: BrowserOptions, userAgent?: string) => {
  script = code
  requests = []
  status = 200
  const context = await pages.browser.newContext({ ...(userAgent && { userAgent }) })
  const page = await start(context, { persistence: 'localStorage+cookie', crossSubdomainCookie: true, ...options })
  await page.evaluate(() => waymark.reloadFeatureFlags())
  const results = await page.evaluate(
    async ([verbArguments, lastVerbs]) => {
      const verbs = Object.keys(waymark).filter((verb) => verb !== 'init')
      const results: unknown[] = []
      for (const verb of [...verbs.filter((verb) => !lastVerbs.includes(verb)).sort(), '(flush)', ...lastVerbs]) {
        if (verb === '(flush)') {
          await waymark.flush()
          continue
        }
        const call = (waymark as unknown as Record<string, (...args: unknown[]) => unknown>)[verb]!
        if (verb === 'shutdown') continue
        const args = verbArguments[verb] ?? ['text', { note: 'object' }]
        const result = await (verb.startsWith('on')
          ? call((...args: unknown[]) => void callbacks.push(args))
          : call(...args))
        if (typeof result === 'function') results.push([verb, 'function'])
        // What it says depends on how fast the last request was.
        else results.push([verb, verb === 'getStatus' ? Object.keys(result as object) : result])
      }
      await waymark.reloadFeatureFlags()
      waymark.capture('refused')
      waymark.capture('')
      return results
    },
    [VERB_ARGUMENTS, LAST_VERBS] as const,
  )
  // The service is down, the page is left, and another page follows: this writes the records of back-off and beacons.
  status = 503
  await page.evaluate(async () => {
    waymark.capture('stored')
    await waymark.flush()
    waymark.capture('unsent')
  })
  const storageBefore = await readStorage(page)
  const calls = await page.evaluate(() => callbacks)
  await page.goto(`${pages.origin}/elsewhere`)
  const storageAfter = await readStorage(page)
  await context.close()
  return outline({ results, calls, requests, storageBefore, storageAfter })
}

/** A user agent from which the agent derives other properties than from that of the test browser. */
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1'

describe('the built script', () => {
  it.each<[string, BrowserOptions, string?]>([
    ['with plain bodies', { disableCompression: true, fetchRetryCount: 0 }],
    [
      'with every option that changes what is sent',
      {
        disableCompression: true,
        fetchRetryCount: 0,
        flagsApi: 'flags',
        disableGeoip: true,
        historicalMigration: true,
        personProfiles: 'always',
        capturePageview: false,
        bootstrap: { featureFlags: { boot: true }, featureFlagPayloads: { boot: 1 } },
      },
      IPHONE,
    ],
  ])('has the same names and values as its sources, %s', async (_, options, userAgent) => {
    const sources = await trace(scripts.sources, options, userAgent)
    expect(await trace(scripts.built, options, userAgent)).toEqual(sources)
  })

  it('contains every public name that its sources use', async () => {
    const declaredNames = (await readFile('dist/index.d.ts', 'utf8')).match(/(?<=^ +(readonly )?)\w+(?=[?(:<])/gm)!
    const namesIn = (code: string) => new Set(code.match(/[\w$]+/g))
    const [sourceNames, builtNames] = [namesIn(scripts.sources), namesIn(scripts.built)]
    expect(declaredNames.length).toBeGreaterThan(50)
    expect(declaredNames.filter((name) => sourceNames.has(name) && !builtNames.has(name))).toEqual([])
  })
})
