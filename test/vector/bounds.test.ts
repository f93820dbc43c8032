import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { initDevice } from '../support/fourth-platform.ts'
import { init as initCapture } from '../../src/entry/capture.ts'
import { init as initEdge } from '../../src/entry/edge.ts'
import { init as initPage } from '../../src/entry/index.ts'
import { init as initNode } from '../../src/entry/node.ts'
import { checkEvent } from '../../src/wire/check-event.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import type { BatchRequest, WireEvent } from '../../src/wire/event.ts'
import { until } from '../support/until.ts'
import { createPhone } from '../support/phone.ts'
import { manualClock } from '../support/manual-clock.ts'

/** An event near a bound, and what is left of it on the wire and in the service. */
interface BoundsCase {
  readonly name: string
  readonly event: string
  readonly distinctId: string
  readonly properties: JsonObject
  readonly stored?: { readonly event: string; readonly properties: JsonObject }
  /** The property that is too long. */
  readonly refused?: string
}

const { cases } = JSON.parse(readFileSync(new URL('bounds.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly BoundsCase[]
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue()
  // Without a page, the agents of pages do nothing.
  vi.stubGlobal('location', new URL('https://shop.test/'))
})

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** What an agent did with a case: the event that arrived, or why it was dropped. */
type Outcome = { readonly sent: WireEvent } | { readonly dropped: string }

/** The service of an agent, and its `onDrop`. */
const openService = () => {
  const outcomes: Outcome[] = []
  return {
    outcomes,
    onDrop: (_event: unknown, reason: string) => void outcomes.push({ dropped: reason }),
    fetch: async (url: unknown, init?: { readonly body?: unknown }) => {
      if (!String(url).endsWith('/batch/')) return Response.json({ featureFlags: {}, featureFlagPayloads: {} })
      const { batch } = JSON.parse(String(init?.body)) as BatchRequest
      outcomes.push(...batch.map((sent) => ({ sent })))
      return Response.json({ status: 1 })
    },
  }
}

let keys = 0
const HOST = 'https://waymark.test'

/** What each agent does with an event that is captured. */
const PLATFORMS: Readonly<Record<string, (each: BoundsCase) => Promise<Outcome>>> = {
  'a page': (each) => captureOnPage(initPage, each),
  'a page that only captures': (each) => captureOnPage(initCapture, each),
  Node: (each) => captureOnServer(initNode, each),
  'the edge': (each) => captureOnServer(initEdge, each),
  'an app of React Native': async ({ event, distinctId, properties }) => {
    const phone = createPhone()
    const drops: string[] = []
    const run = phone.open({ captureLifecycle: false, onDrop: (_event, reason) => void drops.push(reason) })
    ends.push(run.kill)
    run.agent.capture(event, properties, { distinct_id: distinctId })
    await run.agent.flush()
    const [sent] = phone.stored.values()
    return sent ? { sent } : { dropped: drops[0]! }
  },
  'another platform': async ({ event, distinctId, properties }) => {
    const service = openService()
    const clock = manualClock()
    const agent = initDevice(
      'key',
      { host: HOST, disableCompression: true, onDrop: service.onDrop },
      {
        memory: new Map(),
        fetch: service.fetch,
        clock,
        randomBytes: (length) => new Uint8Array(length),
        log: () => undefined,
        onResume: () => () => undefined,
      },
    )
    agent.capture(event, properties, { distinct_id: distinctId })
    await clock.advance(3_000)
    return service.outcomes[0]!
  },
}

const captureOnPage = async (
  init: typeof initPage | typeof initCapture,
  { event, distinctId, properties }: BoundsCase,
): Promise<Outcome> => {
  const { outcomes, onDrop, fetch } = openService()
  const agent = init(`bounds ${++keys}`, {
    host: HOST,
    disableCompression: true,
    capturePageview: false,
    persistence: 'memory',
    fetch,
    onDrop,
  })
  ends.push(() => agent.shutdown(1_000))
  agent.capture(event, properties, { distinct_id: distinctId })
  void agent.flush()
  return (
    await until(
      () => outcomes,
      (all) => all.length > 0,
    )
  )[0]!
}

const captureOnServer = async (init: typeof initEdge, each: BoundsCase): Promise<Outcome> => {
  const { outcomes, onDrop, fetch } = openService()
  const agent = init('key', { host: HOST, disableCompression: true, fetch, onDrop })
  const { event, distinctId, properties } = each
  agent.capture({ event, distinctId, properties })
  await agent.shutdown()
  return outcomes[0]!
}

describe.each(Object.entries(PLATFORMS))('the agent of %s', (_platform, capture) => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', async (_name, each) => {
    const outcome = await capture(each)
    if (each.refused !== undefined) return expect(outcome).toEqual({ dropped: 'id_too_long' })
    if (!('sent' in outcome)) return expect.fail(outcome.dropped)
    const { sent } = outcome
    expect(sent).toMatchObject({ event: each.stored!.event, distinct_id: each.distinctId })
    for (const name in each.properties) expect(sent.properties[name]).toEqual(each.stored!.properties[name])
    expect(checkEvent(sent as unknown as Json)).toMatchObject({ kind: 'event', event: { cuts: null } })
  })
})

describe('the service', () => {
  it.each(cases.map((each) => [each.name, each] as const))(
    '%s',
    (_name, { event, distinctId, properties, ...each }) => {
      const check = checkEvent({ event, distinct_id: distinctId, properties })
      if (each.refused !== undefined)
        return expect(check).toEqual({ kind: 'refused', reason: 'id_too_long', attr: each.refused })
      expect(check).toMatchObject({ kind: 'event', event: { ...each.stored, distinctId } })
    },
  )
})
