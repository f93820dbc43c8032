import { describe, expect, it } from 'vitest'
import { createDescriber } from '../../../src/agent/debug/create-describer.ts'
import type { DebugEntry } from '../../../src/port/debug-entry.ts'

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

/** Describes entries with one describer, and returns the sentences. */
const tell = (...entries: readonly DebugEntry[]): unknown[] => {
  const describe = createDescriber()
  return entries.map(([topic, ...details]) => describe(NOW, topic, ...details)?.[1])
}

describe('the describer of debug mode', () => {
  it('begins each line with the time of day', () => {
    expect(createDescriber()(NOW, 'definitions', 'loaded')).toEqual(['03:04:05.678', 'loaded'])
  })

  it('tells name, uuid and content of a captured event, and why one was dropped', () => {
    const event = { event: 'bought', uuid: '0190', properties: { item: 'tea' } }
    expect(createDescriber()(NOW, 'captured', JSON.stringify(event))).toEqual([
      '03:04:05.678',
      'captured "bought" 0190',
      event,
    ])
    expect(tell(['dropped', 'bought', '0190', 'opted_out'])).toEqual(['dropped "bought" 0190: opted_out'])
  })

  it('tells URL, count, bytes, form, status and time of a request', () => {
    const report = {
      url: 'https://a/batch/',
      status: 200,
      events: 2,
      encoding: 'gzip',
      bytesBefore: 900,
      bytesAfter: 300,
    }
    const [, ...sentences] = tell(
      ['request', 'https://a/batch/', 200, NOW - 45],
      ['sent', report],
      ['sent', { ...report, status: 0, events: 1, encoding: 'plain' }],
      ['sent', { ...report, status: undefined }],
      ['request', 'https://a/decide/', 503, NOW - 1],
    )
    expect(sentences).toEqual([
      '2 events to https://a/batch/ (300 bytes, gzip of 900 bytes): 200 after 45 ms',
      '1 event to https://a/batch/ (300 bytes, plain JSON): no response after 45 ms',
      '2 events to https://a/batch/ (300 bytes, gzip of 900 bytes): given to the browser as a beacon, without a response',
      'request to https://a/decide/: 503 after 1 ms',
    ])
  })

  it('tells the back-off with the time of the next attempt', () => {
    expect(tell(['retry', 'https://a/batch/ answered 503', NOW + 2_000])).toEqual([
      'attempt failed: https://a/batch/ answered 503; next attempt at 03:04:07.678',
    ])
  })

  it('tells that a part has not come', () => {
    expect(tell(['part_failed', 'delivery', new TypeError('offline')])).toEqual([
      'delivery not loaded, tried again later: TypeError: offline',
    ])
  })

  it('tells which flags have changed since the last load', () => {
    expect(
      tell(
        ['flags', { old: true, plan: 'a' }, { errorsLoading: false }],
        ['flags', { plan: 'b', beta: true }, { errorsLoading: false }],
        ['flags', { plan: 'b', beta: true }, { errorsLoading: true }],
      ),
    ).toEqual([
      'flags loaded: 2; old: true (new), plan: "a" (new)',
      'flags loaded: 2; old: gone, plan: "a" -> "b", beta: true (new)',
      'flags loaded with errors: 2; nothing changed',
    ])
  })

  it('tells which flag definitions have changed', () => {
    const plan = { key: 'plan', active: true }
    expect(
      tell(
        ['definitions_in_use', [plan, { key: 'old' }]],
        ['definitions_in_use', [{ ...plan, active: false } as { key: string }, { key: 'beta' }]],
        ['definitions_in_use', [{ ...plan, active: false } as { key: string }, { key: 'beta' }]],
      ),
    ).toEqual([
      'flag definitions in use: 2; plan: new, old: new',
      'flag definitions in use: 2; plan: changed, old: gone, beta: new',
      'flag definitions in use: 2; nothing changed',
    ])
  })

  it('tells changes of identity, session and consent, but not activity', () => {
    const state = { distinctId: 'a', deviceId: 'd', isIdentified: false, isOptedOut: false, groups: {} }
    const identified = { ...state, distinctId: 'user-1', isIdentified: true }
    const [, ...changes] = tell(
      ['state', JSON.stringify(state)],
      ['state', JSON.stringify({ ...state, revision: 2 })],
      ['state', JSON.stringify(identified)],
      ['state', JSON.stringify({ ...identified, isOptedOut: true, session: { id: 's' } })],
    )
    expect(changes).toEqual([
      undefined,
      'identity: distinctId: "a" -> "user-1", isIdentified: false -> true',
      'identity: isOptedOut: false -> true, sessionId: "s" (new)',
    ])
  })

  it('tells which tab delivers, when that changes', () => {
    const report = { url: 'https://a/batch/', status: 200, events: 1, encoding: 'plain', bytesBefore: 9, bytesAfter: 9 }
    expect(tell(['busy'], ['busy'], ['sent', report], ['sent', report], ['busy'])).toEqual([
      'another tab delivers',
      undefined,
      expect.stringMatching(/^this tab delivers: 1 event to/),
      expect.stringMatching(/^1 event to/),
      'another tab delivers',
    ])
  })

  it('tells why nothing is captured', () => {
    expect(tell(['stopped', 'bot'], ['stopped', 'no_page'], ['stopped', 'later version'])).toEqual([
      expect.stringMatching(/^nothing is captured: .*automated browser/),
      expect.stringContaining('waymark/node'),
      'nothing is captured: later version',
    ])
  })

  it('tells which options of a page are unknown, with the nearest name', () => {
    expect(tell(['option', 'host'], ['option', 'api_host'])).toEqual([
      undefined,
      '"api_host" is not an option of init() and is ignored. Use "host".',
    ])
  })

  it('returns an entry as it is when it cannot be described', () => {
    expect(createDescriber()(NOW, 'captured', 'no JSON')).toEqual([NOW, 'captured', 'no JSON'])
    expect(createDescriber()(NOW, 'later version', 1)).toEqual(['03:04:05.678', 'later version', 1])
  })

  it('puts mistakes into sentences', () => {
    const names = ['host', 'flushAt', 'personProfiles']
    const describe = createDescriber()
    const tellMistake = (topic: string, ...details: unknown[]): unknown => describe(NOW, topic, ...details)?.[1]
    expect(tellMistake('unknown_option', 'api_host', names)).toBe(
      '"api_host" is not an option of init() and is ignored. Use "host".',
    )
    expect(tell(['option', 'hashRouting'])).toEqual([expect.stringContaining('withExtras(init)')])
    expect(tellMistake('unknown_option', 'zebra', names)).toBe('"zebra" is not an option of init() and is ignored.')
    expect(tellMistake('second_init', 'wm_1')).toMatch(/^init\("wm_1"\) was called again with other options/)
    expect(tellMistake('no_key')).toContain('the script tag has no data-key')
    expect(tellMistake('no_tracing')).toContain('waymark-tracing.js')
    expect(tellMistake('invalid_data_options', '{')).toBe('data-options is not JSON and is ignored: {')
  })
})
