import * as fc from 'fast-check'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compile } from '../../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../../src/evaluate/evaluation.ts'
import { definitionsArbitrary, subjectArbitrary } from '../../evaluate/arbitraries.ts'
import { filtered, flagOf } from '../../support/run-flag.ts'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { buildHermesApp } from './hermes-app.ts'
import type { AppRequest, AppRunOutput, FlagSet, HermesApp } from './hermes-app.ts'
import { removeFolder } from '../../support/remove-folder.ts'

/** 8,000 generated cases, the same ones in each test run. JSON, because the app gets them so. */
const FLAG_SETS = JSON.parse(
  JSON.stringify(
    fc.sample(
      fc.record({
        definitions: definitionsArbitrary(20),
        contexts: fc.array(fc.boolean().chain(subjectArbitrary), { minLength: 10, maxLength: 10 }),
      }),
      { numRuns: 40, seed: 20 },
    ),
  ),
) as FlagSet[]

/** Flags of the app, whose values are in its second test. */
const DEFINITIONS = {
  flags: [
    flagOf({}, { key: 'on' }),
    { ...filtered({ key: 'plan', value: 'PRO' }), key: 'by-plan' },
    { ...filtered({ key: 'plan', operator: 'regex', value: '^p\\w+$' }), key: 'by-pattern' },
    // What `\p{L}` means depends on the engine.
    { ...filtered({ key: 'plan', operator: 'regex', value: '\\p{L}' }), key: 'by-unicode' },
  ],
}

const dataFolder = mkdtempSync(join(tmpdir(), 'waymark-hermes-'))
let service: RunningService
let app: HermesApp
let offline: AppRunOutput
let online: AppRunOutput
let evaluating: AppRunOutput
beforeAll(async () => {
  app = await buildHermesApp()
  service = await startJourneyService(dataFolder)
  const startMs = Date.now() - 20_000
  const { apiKey } = service
  offline = app.run({ apiKey, startMs, isOnline: false, disk: {} })
  online = app.run({ apiKey, startMs: startMs + 10_000, isOnline: true, disk: offline.disk })
  const definitions = DEFINITIONS
  evaluating = app.run({ apiKey, startMs, isOnline: false, disk: {}, definitions, flagSets: FLAG_SETS })
  // Installing takes half a minute, and much longer on a slow network.
}, 240_000)
afterAll(async () => {
  app?.remove()
  await service?.kill()
  await removeFolder(dataFolder)
})

const toBatches = (requests: readonly AppRequest[]): AppRequest[] =>
  requests.filter(({ url }) => url.endsWith('/batch/'))
const eventKeys = (disk: Readonly<Record<string, string>>): string[] =>
  Object.keys(disk).filter((key) => key.includes('_e/'))

describe('an app in Hermes, built by Metro', () => {
  it("runs without the globals of browsers, and pages' entries resolve to those of apps", () => {
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

  it('evaluates flags without a network, and leaves to the service what engines see differently', () => {
    expect(evaluating.reads).toEqual([
      [true, null, null, null],
      [true, true, true, null],
    ])
    const asked = evaluating.requests.filter(({ url }) => url.includes('/decide/'))
    const keys = asked.map(({ body }) => (JSON.parse(String(body)) as Record<string, unknown>)['flag_keys_to_evaluate'])
    expect(keys[0]).toEqual(['by-unicode'])
  })

  it('evaluates 8,000 generated flags as Node does', () => {
    const expected = FLAG_SETS.map(({ definitions, contexts }) => {
      const { flags } = compile(definitions)
      return contexts.map((context) =>
        [...flags.values()].map((flag) => evaluateFlag(flag, evaluationContext(context))),
      )
    })
    expect(expected.flat(2)).toHaveLength(8_000)
    expect(evaluating.evaluated).toEqual(JSON.parse(JSON.stringify(expected)))
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
