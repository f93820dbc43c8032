import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { buildHermesApp } from './hermes-app.ts'
import type { AppRequest, AppRunOutput, HermesApp } from './hermes-app.ts'

const dataFolder = mkdtempSync(join(tmpdir(), 'waymark-hermes-'))
let service: RunningService
let app: HermesApp
let offline: AppRunOutput
let online: AppRunOutput
beforeAll(async () => {
  app = await buildHermesApp()
  service = await startJourneyService(dataFolder)
  const startMs = Date.now() - 20_000
  const { apiKey } = service
  offline = app.run({ apiKey, startMs, isOnline: false, disk: {} })
  online = app.run({ apiKey, startMs: startMs + 10_000, isOnline: true, disk: offline.disk })
  // Installing takes half a minute, and much longer on a slow network.
}, 240_000)
afterAll(async () => {
  app?.remove()
  await service?.kill()
  rmSync(dataFolder, { recursive: true, force: true })
})

const toBatches = (requests: readonly AppRequest[]): AppRequest[] =>
  requests.filter(({ url }) => url.endsWith('/batch/'))
const eventKeys = (disk: Readonly<Record<string, string>>): string[] =>
  Object.keys(disk).filter((key) => key.includes('_e/'))

describe('an app in Hermes, built by Metro', () => {
  it('runs without the globals of browsers, and `waymark` resolves to its agent', () => {
    expect(offline.missing).toEqual(['TextEncoder', 'crypto', 'URL', 'AbortController', 'queueMicrotask', 'Intl'])
    expect(offline.isSame).toBe(true)
  })

  it('compiles with the compiler of later versions', () => {
    const magic = Buffer.from(app.compile().subarray(0, 8)).toString('hex')
    expect(magic).toBe('c61fbc03c103191f')
  })

  it('keeps the events of a run without a network, and delivers them in the next run', () => {
    // Installed, Opened, Deep Link Opened, $identify, early, $exception and 150 events.
    expect(eventKeys(offline.disk)).toHaveLength(156)
    expect(offline.console.map(([method]) => method)).toEqual(['warn'])
    expect(eventKeys(online.disk)).toEqual([])
    expect(online.console).toEqual([])
  })

  it('knows the user of the last run before any response, and then the flags', () => {
    expect(online.reads[0]).toEqual(['hermes-user', null, expect.any(Number)])
    expect(online.reads.at(-1)).toEqual(['hermes-user', 'blue'])
  })

  it('stores a fatal error, with its stack, before the handler that ends the app', () => {
    expect(offline.ended).toEqual([{ message: 'no cart', isStored: true }])
    const exception = Object.values(offline.disk).find((value) => value.includes('"$exception"'))
    const { properties } = JSON.parse(exception!) as { properties: { $exception_list: [object] } }
    const position = { lineno: expect.any(Number) as number, colno: expect.any(Number) as number }
    expect(properties.$exception_list[0]).toMatchObject({
      type: 'TypeError',
      value: 'no cart',
      stacktrace: {
        frames: expect.arrayContaining([expect.objectContaining({ function: 'fail', ...position })]) as [],
      },
    })
  })

  it('sends gzip that the service reads, and each event is stored once', async () => {
    const batches = toBatches(online.requests)
    expect(batches.length).toBeGreaterThan(1)
    for (const { headers, body } of batches) {
      const bytes = Uint8Array.from(body as readonly number[])
      expect(bytes.subarray(0, 2)).toEqual(Uint8Array.of(0x1f, 0x8b))
      // Each request arrives twice, as after a lost response.
      for (let attempt = 0; attempt < 2; attempt++)
        expect((await fetch(`${service.url}/batch/`, { method: 'POST', headers, body: bytes })).status).toBe(200)
    }
    await service.settled()
    const rows = await service.query(
      `SELECT event, count(*), count(DISTINCT uuid) FROM events
        WHERE distinct_id = 'hermes-user' GROUP BY event ORDER BY event`,
    )
    expect(rows).toEqual([
      ['$exception', 1, 1],
      ['$feature_flag_called', 1, 1],
      ['$identify', 1, 1],
      ['Application Opened', 2, 2],
      ['Deep Link Opened', 2, 2],
      ['burst', 150, 150],
      ['early', 1, 1],
    ])
    const [[properties] = []] = await service.query("SELECT properties FROM events WHERE event = 'early'")
    expect(JSON.parse(String(properties))).toMatchObject({
      text: 'é 中 🙂',
      lone: '\ufffd',
      $os: 'Android',
      $lib: 'waymark-react-native',
    })
  })
})
