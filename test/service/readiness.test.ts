import { expect, it } from 'vitest'
import { createReadinessCheck } from '../../src/service/readiness.ts'

const ready = { status: 'ok', inbox: { ok: true, detail: null } }

it('is ready while the inbox can be written and is not full', () => {
  let now = 1000
  let failure: Error | null = null
  let isFull = false
  const check = createReadinessCheck({
    inbox: {
      probe: () => {
        if (failure !== null) throw failure
      },
    },
    isFull: () => isFull,
    now: () => now,
  })
  expect(check()).toEqual(ready)
  failure = new Error('The disk is full.')
  now += 1000
  expect(check()).toEqual({ status: 'failing', inbox: { ok: false, detail: 'The disk is full.' } })
  failure = null
  isFull = true
  now += 1000
  expect(check()).toMatchObject({ status: 'failing', inbox: { ok: false } })
  isFull = false
  now += 1000
  expect(check()).toEqual(ready)
})

it('writes to the disk at most once a second, also after the clock was set back', () => {
  let now = 10_000
  let probes = 0
  const check = createReadinessCheck({ inbox: { probe: () => void probes++ }, isFull: () => false, now: () => now })
  check()
  now += 999
  check()
  expect(probes).toBe(1)
  now += 1
  check()
  expect(probes).toBe(2)
  now -= 5000
  check()
  expect(probes).toBe(3)
})
