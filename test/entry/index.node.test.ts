import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleSource } from '../support/bundle-source.ts'

/** Globals that the import must not use during server-side rendering. */
const WATCHED_GLOBALS = `window document location navigator history localStorage sessionStorage indexedDB fetch crypto
  MessageChannel BroadcastChannel setTimeout setInterval addEventListener console`.split(/\s+/)

let folder: string
let service: Server
let bodies: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-'))
  await writeFile(join(folder, 'waymark.mjs'), (await bundleSource('src/entry/index.ts', 'es')).code)
  bodies = []
  service = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url?.startsWith('/batch/')) bodies.push(body)
      response.end('{"featureFlags":{}}')
    })
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  service.close()
  await rm(folder, { recursive: true })
})

/** Runs a program in its own Node process; fails if the process does not end by itself. */
const run = async (program: string): Promise<unknown> => {
  const file = join(folder, 'program.mjs')
  await writeFile(file, program)
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 15_000 })
  return JSON.parse(stdout)
}

describe('the browser agent without a page', () => {
  it('uses no global variable while it is imported', async () => {
    const touched = await run(`
      const touched = []
      const restore = ${JSON.stringify(WATCHED_GLOBALS)}.map((name) => {
        const own = Object.getOwnPropertyDescriptor(globalThis, name)
        const value = globalThis[name]
        Object.defineProperty(globalThis, name, { configurable: true, get: () => (touched.push(name), value) })
        return () => own ? Object.defineProperty(globalThis, name, own) : delete globalThis[name]
      })
      await import('./waymark.mjs')
      restore.forEach((end) => end())
      console.log(JSON.stringify(touched))`)
    expect(touched).toEqual([])
  })

  it('does nothing on a server, where one agent would be that of all visitors, and says why in debug mode', async () => {
    const { port } = service.address() as AddressInfo
    const [status, isOptedOut, lines] = (await run(`
      import { init } from './waymark.mjs'
      const lines = []
      const { log } = console
      console.log = console.warn = (...line) => lines.push(line.join(' '))
      const options = { host: 'http://127.0.0.1:${port}/', disableCompression: true }
      const waymark = init('key', options)
      waymark.identify('ada')
      waymark.capture('rendered')
      waymark.onFeatureFlags(() => undefined)
      await waymark.reloadFeatureFlags()
      await waymark.flush()
      const silent = lines.length
      init('key', { ...options, debug: true })
      waymark.debug()
      await new Promise((resolve) => setTimeout(resolve, 300))
      log(JSON.stringify([waymark.getStatus(), waymark.isOptedOut(), [silent, ...lines]]))`)) as [
      object,
      boolean,
      string[],
    ]
    expect([status, isOptedOut, bodies]).toEqual([{ waitingEvents: 0, stopReason: 'no_page' }, true, []])
    expect(lines).toEqual([0, expect.stringContaining('no page'), expect.stringContaining('no page')])
  })

  it('queues events in memory in a worker, delivers them, and lets the process end', async () => {
    const { port } = service.address() as AddressInfo
    const result = await run(`
      globalThis.location = new URL('https://shop.test/worker.js')
      import { init } from './waymark.mjs'
      const waymark = init('key', { host: 'http://127.0.0.1:${port}/', disableCompression: true })
      waymark.capture('rendered', { page: 'home' })
      waymark.identify('user')
      const busy = setInterval(() => {}, 1_000)
      await waymark.flush()
      // The start runs a delivery of its own. After it, a new event waits for its timer.
      await waymark.flush()
      clearInterval(busy)
      waymark.capture('later')
      console.log(JSON.stringify([waymark.getDistinctId(), waymark.isOptedOut()]))`)
    expect(result).toEqual(['user', false])
    expect(bodies).toHaveLength(1)
    const { batch } = JSON.parse(bodies[0]!) as { batch: { event: string }[] }
    expect(batch.map(({ event }) => event)).toEqual(['rendered', '$identify'])
  })

  it('does nothing without a host', async () => {
    expect(
      await run(`
        import { init } from './waymark.mjs'
        console.log(JSON.stringify(init('key').isOptedOut()))`),
    ).toBe(true)
  })
})
