import { expect, it } from 'vitest'
import { recordLease } from '../../../src/platform/browser/record-lease.ts'
import { memoryEventStore } from '../../../src/platform/memory/memory-event-store.ts'
import { leaseContract } from '../../contract/lease.ts'
import { manualClock } from '../../support/manual-clock.ts'

const KEY = 'c/lease'

leaseContract('record', () => {
  const [store, clock] = [memoryEventStore(), manualClock(1_000_000)]
  return [recordLease(store, KEY, 'one', clock), recordLease(store, KEY, 'two', clock)]
})

const site = () => {
  const [store, clock] = [memoryEventStore(), manualClock(1_000_000)]
  return { store, clock, tab: (owner: string) => recordLease(store, KEY, owner, clock) }
}
const pass = async () => {}

it('stays with a task that runs for long', async () => {
  const { clock, tab } = site()
  let end!: () => void
  const held = tab('one')(() => new Promise((resolve) => (end = resolve)))
  await clock.advance(120_000)
  expect(await tab('two')(pass)).toBe(false)
  end()
  expect(await held).toBe(true)
  expect(clock.pending()).toBe(0)
})

it('is free 15 s after its holder died', async () => {
  const { store, clock, tab } = site()
  await store.write([{ key: KEY, value: `${clock.now() + 15_000} dead` }])
  expect(await tab('two')(pass)).toBe(false)
  await clock.advance(15_001)
  expect(await tab('two')(pass)).toBe(true)
  expect(await store.keys('', 'z')).toEqual([])
})

it('is free when its deadline lies farther away than a lease lasts: the clock was changed', async () => {
  const { store, clock, tab } = site()
  await store.write([{ key: KEY, value: `${clock.now() + 86_400_000} dead` }])
  expect(await tab('two')(pass)).toBe(true)
})

it('is free when its record cannot be read as one', async () => {
  const { store, tab } = site()
  for (const value of ['', 'garbage', 'NaN x']) {
    await store.write([{ key: KEY, value }])
    expect(await tab('two')(pass)).toBe(true)
  }
})

it('delivers rather than never when the store fails', async () => {
  const store = { ...memoryEventStore(), update: () => Promise.reject(new Error('disk')) }
  let ran = false
  const lease = recordLease(store, KEY, 'one', manualClock())
  expect(
    await lease(async () => {
      ran = true
    }),
  ).toBe(true)
  expect(ran).toBe(true)
})
