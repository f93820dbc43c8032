import { afterEach, expect, it, vi } from 'vitest'
import { getRunningAgents } from '../../src/entry/running-agents.ts'
import type { WireEvent } from '../../src/wire/event.ts'
import { createPhone } from '../support/phone.ts'
import type { AppRun, DiskWrite } from '../support/phone.ts'

vi.spyOn(console, 'warn').mockReturnValue()
afterEach(() => getRunningAgents().clear())

const KILLS = 200

/** Returns random integers from 0 to `limit` - 1, the same ones in each test run (mulberry32). */
const createRandom = (seed: number) => (limit: number) => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
}

const isEvent = ({ key, value }: DiskWrite): boolean => key.includes('_e/') && value !== undefined

const isInstalled = (write: DiskWrite): boolean => isEvent(write) && write.value!.includes('"Application Installed"')

/** The events that the storage has confirmed to the app: these must not be lost. */
const confirmedEvents = (run: AppRun): WireEvent[] =>
  run.confirmed.filter(isEvent).map(({ value }) => JSON.parse(value!) as WireEvent)

it(`loses no stored event, and stores none twice, for ${KILLS} random moments of the kill`, async () => {
  const random = createRandom(20)
  let kills = 0
  while (kills < KILLS) {
    const phone = createPhone(random(2) === 0)
    const confirmed: WireEvent[] = []
    let captured = 0
    let cutOffInstalls = 0
    for (let start = 0; start < 3; start++) {
      // Most kills come in the middle of a write; the others between two steps below, or while a request is in flight.
      phone.writesUntilKill = random(5) ? 1 + random(30) : Infinity
      phone.isKilledByNextRequest = random(6) === 0
      const run = phone.open({ flushAt: 3, maxBatchSize: 4, preloadFeatureFlags: false })
      for (let step = 0; step < 6 && !run.isKilled(); step++) {
        phone.eventStatus = [200, 200, 200, 503, 0][random(5)]!
        const before = captured
        for (let count = random(5); count > 0; count--) run.agent.capture(`event ${captured++}`)
        if (random(4) === 0) run.agent.identify(`user-${start}`, { step })
        if (random(4) === 0) run.background()
        if (random(4) === 0) run.foreground()
        await run.clock.advance([0, 1_000, 3_000, 20_000][random(4)]!)
        if (run.isKilled()) break
        const names = new Set(confirmedEvents(run).map(({ event }) => event))
        for (let index = before; index < captured; index++) expect(names).toContain(`event ${index}`)
      }
      if (!run.isKilled()) run.kill()
      // Killed between the event and the marker that it was captured: the next start captures another one.
      if (phone.log.some(isInstalled) && !phone.disk.has('waymark_1_key_app')) cutOffInstalls++
      confirmed.push(...confirmedEvents(run))
      kills++
    }

    phone.writesUntilKill = Infinity
    phone.isKilledByNextRequest = false
    phone.eventStatus = 200
    const state = phone.disk.get('waymark_1_key_c/state')
    const last = phone.open({ preloadFeatureFlags: false })
    await last.agent.ready()
    if (state !== undefined)
      expect(last.agent.getDistinctId()).toBe((JSON.parse(state) as { distinctId: string }).distinctId)
    await last.clock.advance(600_000)
    for (const event of confirmed) expect(phone.stored.get(event.uuid)).toEqual(event)
    expect([...phone.disk.keys()].filter((key) => key.includes('_e/'))).toEqual([])
    const names = phone.names().filter((name) => name.startsWith('event '))
    expect(names).toEqual([...new Set(names)])
    expect(last.agent.getStatus().waitingEvents).toBe(0)
    const installs = phone.names().filter((name) => name === 'Application Installed').length
    expect(installs).toBeGreaterThanOrEqual(1)
    expect(installs).toBeLessThanOrEqual(1 + cutOffInstalls)
    last.kill()
  }
}, 60_000)
