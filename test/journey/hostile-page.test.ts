import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/index.ts'
import { servePages } from '../support/page-server.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark

/** The built agent in pages whose own code takes the place of what browsers provide. */

/** What a page has before the tag of the agent, by what is special about it. */
const PAGES: Readonly<Record<string, string>> = {
  'built-in classes': `<script>
    const URL = '/api/', URLSearchParams = null, AbortController = 1
    class Map { constructor(element) { this.element = element } }
    class Set { constructor(element) { this.element = element } }</script>`,
  'a scheduler without tasks': `<script>var scheduler = { postTask: 'none' }, title = 'A shop'</script>`,
  'a scheduler that throws': `<script>scheduler.postTask = () => { throw new Error('no tasks') }</script>`,
  'a channel that throws': `<script>BroadcastChannel = class { constructor() { throw new Error('no channels') } }</script>`,
  'members of all objects': `<script>
    Object.prototype.extend = function () {}
    Object.prototype.label = 'all'
    Array.prototype.last = function () { return this[this.length - 1] }</script>`,
  'a frozen Object.prototype': `<script>Object.freeze(Object.prototype)</script>`,
  'forms with the names of properties': `<form name="title"></form><form name="referrer"></form><form name="head"></form>`,
  'another base': `<base href="http://127.0.0.1:9/">`,
}

let folder: string
let script: string
let service: RunningService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-hostile-'))
  script = await readFile('dist/script.js', 'utf8')
  service = await startJourneyService(join(folder, 'data'))
})
afterAll(async () => {
  await service?.kill()
  await removeFolder(folder)
})

const site = servePages((request, response) => {
  if (request.url === '/waymark.js') return response.setHeader('Content-Type', 'text/javascript').end(script)
  const name = decodeURIComponent(request.url!.slice(1))
  const tag = `<script src="http://${request.headers.host}/waymark.js" data-key="${service.apiKey}" data-host="${service.url}"></script>`
  return response
    .setHeader('Content-Type', 'text/html; charset=utf-8')
    .end(`<!doctype html><title>A shop</title><link rel="icon" href="data:,">${PAGES[name]!}${tag}`)
})

it.each(Object.keys(PAGES))('delivers all events of a page with %s, and throws nothing into it', async (name) => {
  const errors: string[] = []
  const page = await site.context.newPage()
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`${site.origin}/${encodeURIComponent(name)}`)
  await page.evaluate((event) => {
    waymark.register({ plan: 'pro' })
    waymark.capture(event, { constructor: 'Ferrari', toString: 'red', list: [1, { size: 2 }] })
    return waymark.flush()
  }, name)
  await expect
    .poll(() =>
      service.query(
        `select properties->>'constructor', properties->>'toString', properties->>'plan', properties->'list', properties->>'label' from events where event = '${name}'`,
      ),
    )
    .toEqual([['Ferrari', 'red', 'pro', '[1,{"size":2}]', null]])
  await expect
    .poll(() =>
      service.query(
        `select properties->>'title' from events where event = '$pageview' and (properties->>'$pathname') = '/${encodeURIComponent(name)}'`,
      ),
    )
    .toEqual([['A shop']])
  expect(errors).toEqual([])
})
