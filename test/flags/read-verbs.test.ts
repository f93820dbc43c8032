import { describe, expect, it } from 'vitest'
import { createFlagDetails } from '../../src/flags/flag-detail.ts'
import { createReadVerbs } from '../../src/flags/read-verbs.ts'

const ignoreRead = (): void => {}

describe('the verbs that read flags', () => {
  it('read variants, flags that are off, missing flags and inherited names', () => {
    const flags = createFlagDetails({ on: true, off: false, blue: 'blue' }, { blue: '{"x":1}', on: 'plain' })
    const verbs = createReadVerbs(() => flags, ignoreRead)
    expect(verbs.getFeatureFlag('on')).toBe(true)
    expect(verbs.getFeatureFlag('constructor')).toBeUndefined()
    expect(verbs.isFeatureEnabled('blue')).toBe(true)
    expect(verbs.isFeatureEnabled('off', { defaultValue: true })).toBe(false)
    expect(verbs.isFeatureEnabled('none', { defaultValue: true })).toBe(true)
    expect(verbs.isFeatureEnabled('none')).toBeUndefined()
    expect(verbs.getFeatureFlagPayload('blue')).toEqual({ x: 1 })
    expect(verbs.getFeatureFlagPayload('on')).toBe('plain')
    expect(verbs.getFeatureFlagPayload('off')).toBeUndefined()
    expect(verbs.getFeatureFlagResult('blue')).toEqual({
      key: 'blue',
      enabled: true,
      variant: 'blue',
      payload: { x: 1 },
    })
    expect(verbs.getFeatureFlagResult('none')).toBeUndefined()
  })

  it('return the same objects until a value or a payload changes, also when the flags are loaded again', () => {
    let details = createFlagDetails({ a: 'x', off: false }, { a: '{"n":1}' })
    const verbs = createReadVerbs(() => details, ignoreRead)
    const read = (): readonly unknown[] => [
      verbs.getFeatureFlags(),
      verbs.getFeatureFlagsAndPayloads(),
      verbs.getFeatureFlagPayload('a'),
      verbs.getFeatureFlagResult('a'),
    ]
    const first = read()
    expect(first[1]).toEqual({ flags: { a: 'x', off: false }, payloads: { a: { n: 1 } } })
    details = createFlagDetails({ a: 'x', off: false }, { a: '{"n":1}' })
    read().forEach((value, index) => expect(value).toBe(first[index]))
    details = createFlagDetails({ a: 'x', off: false }, { a: '{"n":2}' })
    const second = read()
    expect(second[0]).toBe(first[0])
    expect(second.slice(1)).toEqual([
      { flags: { a: 'x', off: false }, payloads: { a: { n: 2 } } },
      { n: 2 },
      { key: 'a', enabled: true, variant: 'x', payload: { n: 2 } },
    ])
  })

  it('return nothing while no flag is known', () => {
    const verbs = createReadVerbs(() => undefined, ignoreRead)
    expect(verbs.getFeatureFlag('on')).toBeUndefined()
    expect(verbs.getFeatureFlags()).toEqual({})
  })

  it('report values but not payloads, copies of all flags or reads with send: false', () => {
    const reports: [string, string | null | undefined][] = []
    const flags = createFlagDetails({ blue: 'blue' }, {})
    const verbs = createReadVerbs(
      () => flags,
      (name, flag) => reports.push([name, flag?.variant]),
    )
    verbs.getFeatureFlag('blue')
    verbs.isFeatureEnabled('none')
    verbs.getFeatureFlagResult('blue')
    verbs.getFeatureFlag('blue', { send: false })
    verbs.getFeatureFlagPayload('blue')
    verbs.getFeatureFlags()
    verbs.getFeatureFlagsAndPayloads()
    expect(reports).toEqual([
      ['blue', 'blue'],
      ['none', undefined],
      ['blue', 'blue'],
    ])
  })
})
