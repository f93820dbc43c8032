import commonjs from '@rollup/plugin-commonjs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rollup } from 'rollup'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/index.ts'
import { installPackages } from '../support/install-packages.mjs'
import { servePages } from '../support/page-server.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark

/** The built agent in pages with libraries that replace built-in functions of JavaScript by others of the same name. */

const INSTALL_TIMEOUT_MS = 120_000

/**
 * What Prototype.js 1.6, which no registry has, does to arrays and dates. The package `prototype` has the code of 1.7, whose `reduce` and
 * `toJSON` are harmless.
 */
const PROTOTYPE_1_6 = `
  Array.from = (list) => (list ? [...list] : [])
  Array.prototype.entries = function () { return this.slice() }
  Array.prototype.reduce = function () { return this.length > 1 ? this : this[0] }
  Array.prototype.toJSON = function () { return '[' + this.map((item) => JSON.stringify(item)).join(', ') + ']' }
  Date.prototype.toJSON = function () { return '"' + this.toISOString() + '"' }`

const libraries: Record<string, string> = { 'Prototype.js 1.6': PROTOTYPE_1_6 }
let folder: string
let script: string
let service: RunningService
beforeAll(async () => {
  const modules = join(
    await installPackages('old-libraries', new URL('old-libraries-packages.json', import.meta.url)),
    'node_modules',
  )
  libraries['MooTools'] = await readFile(join(modules, 'mootools/lib/mootools-core-1.5.2-server.js'), 'utf8')
  const bundle = await rollup({
    input: join(modules, 'prototype/lib/index.js'),
    logLevel: 'silent',
    plugins: [commonjs({ strictRequires: true })],
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'prototypeJs', strict: false })
  libraries['Prototype.js 1.7'] = output[0].code
  folder = await mkdtemp(join(tmpdir(), 'waymark-libraries-'))
  script = await readFile('dist/script.js', 'utf8')
  service = await startJourneyService(join(folder, 'data'))
}, INSTALL_TIMEOUT_MS)
afterAll(async () => {
  await service?.kill()
  await removeFolder(folder)
})

const site = servePages((request, response) => {
  const [, library, path] = decodeURIComponent(request.url!).split('/')
  if (library === 'waymark.js') return response.setHeader('Content-Type', 'text/javascript').end(script)
  // The first page must be left before it sends: events of a request that was in flight then wait 30 s for the next page.
  const options = JSON.stringify({ capturePageview: false, preloadFeatureFlags: false, flushInterval: 60_000 })
  const tag = `<script src="/waymark.js" data-key="${service.apiKey}" data-host="${service.url}" data-options='${options}'></script>`
  const html = path === 'blank' ? '' : `<script>${libraries[library!] ?? ''}</script>${tag}`
  return response
    .setHeader('Content-Type', 'text/html; charset=utf-8')
    .end(`<!doctype html><title>A shop</title><link rel="icon" href="data:,">${html}`)
})

it.each(['MooTools', 'Prototype.js 1.7', 'Prototype.js 1.6'])(
  'delivers the events that the last page has spilled, beside %s',
  async (library) => {
    const url = `${site.origin}/${encodeURIComponent(library)}`
    const errors: string[] = []
    const page = await site.context.newPage()
    page.on('pageerror', (error) => errors.push(String(error)))
    // Nothing but localStorage keeps the events.
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('refused', 'SecurityError')
      }
      Navigator.prototype.sendBeacon = () => false
      globalThis.fetch = () => Promise.reject(new TypeError('down'))
    })
    await page.goto(`${url}/shop`)
    await page.evaluate((event) => {
      waymark.register({ list: [1, 'two'] })
      waymark.identify('ada')
      for (let index = 0; index < 3; index++) waymark.capture(event, { index, date: new Date(0) })
      location.href = 'blank'
    }, library)
    await page.waitForURL(`${url}/blank`)
    const next = await site.context.newPage()
    next.on('pageerror', (error) => errors.push(String(error)))
    await next.goto(`${url}/shop`)
    await expect
      .poll(() =>
        service.query(
          `select distinct_id, properties->>'index', properties->>'list', properties->>'date' from events where event = '${library}' order by 2`,
        ),
      )
      .toEqual(['0', '1', '2'].map((index) => ['ada', index, '[1,"two"]', '1970-01-01T00:00:00.000Z']))
    const spills = await next.evaluate(() =>
      Object.keys(localStorage)
        .filter((key) => key.includes('spill'))
        .join(),
    )
    expect([spills, errors]).toEqual(['', []])
  },
)
