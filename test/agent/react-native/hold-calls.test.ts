import { describe, expect, it } from 'vitest'
import { CAPTURE_VERBS, FLAG_VERBS, SURVEY_VERBS } from '../../../src/agent/verb-table.ts'
import { holdCalls } from '../../../src/agent/react-native/hold-calls.ts'
import type { Options } from '../../../src/agent/options.ts'
import type { Waymark } from '../../../src/agent/waymark.ts'

/** Held verbs around verbs that record their calls, and a clock that ticks with each read. */
const createFixture = (bootstrap?: Options['bootstrap'], results: Readonly<Record<string, unknown>> = {}) => {
  let timeMs = 0
  const calls: unknown[][] = []
  const target: Record<string, (...args: unknown[]) => unknown> = {}
  for (const name of Object.keys({ ...CAPTURE_VERBS, ...FLAG_VERBS, ...SURVEY_VERBS }))
    target[name] = (...args) => {
      calls.push([held.now(), name, ...args])
      return name === 'onFeatureFlags' ? () => calls.push(['unsubscribed']) : (results[name] ?? `result of ${name}`)
    }
  const held = holdCalls(
    target as unknown as Waymark,
    () => calls.push([held.now(), 'start']),
    () => ++timeMs,
    bootstrap,
  )
  return { ...held, calls }
}

describe('held calls', () => {
  it('are made after the start, in order, each at its own time', () => {
    const { verbs, release, calls } = createFixture()
    verbs.identify('user-1')
    verbs.capture('paid')
    expect(calls).toEqual([])
    release()
    expect(calls).toEqual([
      [1, 'start'],
      [2, 'identify', 'user-1'],
      [3, 'capture', 'paid'],
    ])
    verbs.capture('later')
    expect(calls[3]).toEqual([4, 'capture', 'later'])
  })

  it('keep their arguments as they were at the call', () => {
    const { verbs, release, calls } = createFixture()
    const properties = { plan: 'pro', list: [1], gone: undefined as undefined | string }
    verbs.register(properties)
    verbs.surveySent('s', ['a', 'b'])
    properties.plan = 'free'
    properties.list.push(2)
    release()
    expect(calls[1]).toStrictEqual([2, 'register', { plan: 'pro', list: [1], gone: undefined }])
    expect(calls[2]).toEqual([3, 'surveySent', 's', ['a', 'b']])
  })

  it('never throw for arguments that cannot be read', () => {
    const { verbs, release, calls } = createFixture()
    const cyclic: Record<string, unknown> = { size: 7n }
    cyclic.self = cyclic
    const throwing = {
      get bad(): never {
        throw new Error('getter')
      },
    }
    verbs.capture('a', cyclic)
    verbs.capture('b', throwing)
    verbs.capture('c', { toJSON: () => undefined })
    verbs.capture('d', { toJSON: () => 'text' })
    release()
    expect(calls.slice(1)).toEqual([
      [2, 'capture', 'a', { size: '7', self: '[Circular]' }],
      [3, 'capture', 'b', { bad: '[Unreadable]' }],
      [4, 'capture', 'c', { toJSON: expect.any(Function) as unknown }],
      [5, 'capture', 'd', { toJSON: expect.any(Function) as unknown }],
    ])
  })

  it('resolve their promises with the real results', async () => {
    const { verbs, release } = createFixture()
    const results = Promise.all([verbs.flush(), verbs.reloadFeatureFlags(), verbs.shutdown()])
    release()
    expect(await results).toEqual(['result of flush', 'result of reloadFeatureFlags', 'result of shutdown'])
  })

  it('can be unsubscribed before and after the release', () => {
    const { verbs, release, calls } = createFixture()
    const stopFirst = verbs.onFeatureFlags(() => undefined)
    const stopSecond = verbs.onFeatureFlags(() => undefined)
    stopFirst()
    release()
    stopSecond()
    expect(calls.map(([, name]) => name)).toEqual(['start', 'onFeatureFlags', undefined])
  })

  it('do not include reads, which answer at once for an unknown user', () => {
    const { verbs, release, calls } = createFixture()
    expect(verbs.getDistinctId()).toBe('')
    expect(verbs.isOptedOut()).toBe(true)
    expect(verbs.getFeatureFlag('beta')).toBeUndefined()
    expect(verbs.isFeatureEnabled('beta', { defaultValue: true })).toBe(true)
    expect(verbs.getFeatureFlagsAndPayloads()).toEqual({ flags: {}, payloads: {} })
    expect(verbs.getStatus().waitingEvents).toBe(0)
    release()
    expect(calls).toEqual([[1, 'start']])
    expect(verbs.getDistinctId()).toBe('result of getDistinctId')
  })

  it('give the same objects before and after the start, until their content changes', () => {
    const results: Record<string, unknown> = { getFeatureFlags: { beta: 'blue' } }
    const { verbs, release } = createFixture({ featureFlags: { beta: 'blue' } }, results)
    const [flags, status] = [verbs.getFeatureFlags(), verbs.getStatus()]
    expect([verbs.getFeatureFlags(), verbs.getStatus()]).toEqual([flags, status])
    expect(verbs.getFeatureFlags()).toBe(flags)
    expect(verbs.getStatus()).toBe(status)
    release()
    expect(verbs.getFeatureFlags()).toBe(flags)
    results.getFeatureFlags = { beta: 'red' }
    expect(verbs.getFeatureFlags()).toEqual({ beta: 'red' })
  })

  it('read bootstrapped flags at once, and report these reads later', () => {
    const featureFlags = { beta: 'blue', off: false }
    const { verbs, release, calls } = createFixture({ featureFlags, featureFlagPayloads: { beta: '{"size":2}' } })
    expect(verbs.getFeatureFlag('beta')).toBe('blue')
    expect(verbs.getFeatureFlagPayload('beta')).toEqual({ size: 2 })
    expect(verbs.getFeatureFlags()).toEqual({ beta: 'blue' })
    expect(verbs.getFeatureFlag('off')).toBeUndefined()
    release()
    expect(calls).toEqual([
      [1, 'start'],
      [2, 'getFeatureFlag', 'beta'],
    ])
  })
})
