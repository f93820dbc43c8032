import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { getRunningAgents } from '../../../src/entry/running-agents.ts'
import { readCommittedGuarantees, shouldWriteGuarantees, writeGuarantees } from '../../support/guarantees.ts'
import type { Guarantee } from '../../support/guarantees.ts'
import { createPhone } from '../../support/phone.ts'
import type { AppRun, Phone } from '../../support/phone.ts'

const HOUR_MS = 3_600_000

const results: Record<string, Guarantee> = {}
beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue())
afterEach(() => {
  getRunningAgents().clear()
  vi.restoreAllMocks()
})
afterAll(async () => {
  if (shouldWriteGuarantees) await writeGuarantees('app', results)
})

/** What happens to the app. The phone's disk takes writes as a phone does, and loses what was not written when the app is killed. */
interface AppCell {
  readonly phone: Phone
  /** Starts the app. */
  open(): AppRun
  /** Captures the next events, in one turn. */
  capture(run: AppRun, count: number): void
}

/** Defines a cell of the loss matrix: after the scenario, the app starts once more, and the service must have each event once. */
const testCell = (name: string, maxDuplicates: number, scenario: (cell: AppCell) => Promise<void>): void =>
  it(name, async () => {
    const phone = createPhone()
    const open = (): AppRun => phone.open({ captureLifecycle: false, preloadFeatureFlags: false })
    let captured = 0
    await scenario({
      phone,
      open,
      capture({ agent }, count) {
        for (const end = captured + count; captured < end; captured++) agent.capture(`event ${captured}`)
      },
    })
    phone.eventStatus = 200
    const last = open()
    await last.clock.advance(600_000)
    expect(phone.names().sort()).toEqual(Array.from({ length: captured }, (_, index) => `event ${index}`).sort())
    expect(last.agent.getStatus().waitingEvents).toBe(0)
    const duplicateDeliveries = phone.requests.flat().length - captured
    expect(duplicateDeliveries).toBeLessThanOrEqual(maxDuplicates)
    results[name] = { captured, stored: phone.stored.size, duplicateDeliveries }
    if (!shouldWriteGuarantees) expect((await readCommittedGuarantees())['app']?.[name]).toEqual(results[name])
  })

/** Starts the app without a service, captures events, and kills the app after `afterMs`. */
const captureAndKill = async ({ phone, open, capture }: AppCell, count: number, afterMs: number): Promise<void> => {
  phone.eventStatus = 0
  const run = open()
  await run.agent.ready()
  capture(run, count)
  await run.clock.advance(afterMs)
  run.kill()
}

for (const [delay, afterMs] of [
  ['1 ms', 1],
  ['1 s', 1_000],
  ['10 s', 10_000],
] as const)
  testCell(`app killed ${delay} after 50 events, service down`, 0, (cell) => captureAndKill(cell, 50, afterMs))

testCell('app killed in three starts, 20 events in each, service down', 0, async (cell) => {
  for (let start = 0; start < 3; start++) await captureAndKill(cell, 20, 5_000)
})

testCell('app killed while its request is in flight', 20, async ({ phone, open, capture }) => {
  const run = open()
  capture(run, 20)
  phone.isKilledByNextRequest = true
  await run.clock.advance(3_000)
  expect(run.isKilled()).toBe(true)
})

testCell(
  'app killed after 20 events before its storage has answered, service down',
  0,
  async ({ phone, open, capture }) => {
    phone.eventStatus = 0
    const run = open()
    capture(run, 20)
    await run.clock.advance(1)
    run.kill()
  },
)

testCell('app killed in the background after 20 events', 20, async ({ open, capture }) => {
  const run = open()
  await run.agent.ready()
  capture(run, 20)
  run.background()
  await run.clock.advance(0)
  run.kill()
})

testCell('app a day without a network, 20 events every eight hours', 0, async ({ phone, open, capture }) => {
  phone.eventStatus = 0
  const run = open()
  for (let part = 0; part < 3; part++) {
    capture(run, 20)
    await run.clock.advance(8 * HOUR_MS)
  }
  phone.eventStatus = 200
  run.background()
  run.foreground()
  await run.clock.advance(60_000)
  run.kill()
})
