import { describe, expect, it } from 'vitest'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { createDecideResponse, createFixture } from './flags-fixture.ts'

const ANONYMOUS = { distinct_id: 'anonymous', groups: {} }
const NEXT = { distinct_id: 'next', groups: {} }

describe('stored flags', () => {
  it('of another user are not read', async () => {
    const storage = createMemoryKeyValue()
    const page = createFixture({}, { storage, identity: ANONYMOUS })
    page.respond = () => createDecideResponse({ a: true })
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    const other = createFixture({}, { storage, identity: NEXT })
    expect(other.flags.verbs.getFeatureFlags()).toEqual({})
    await other.flags.verbs.reloadFeatureFlags()
    expect(other.bodies()[0]).toHaveProperty('person_properties', {})
  })

  it('survive identify, on this page and the next', async () => {
    const storage = createMemoryKeyValue()
    const page = createFixture({}, { storage, identity: ANONYMOUS })
    page.respond = (index) => (index ? 500 : createDecideResponse({ a: true }))
    await page.flags.verbs.reloadFeatureFlags()
    page.identity = { distinct_id: 'user', $anon_distinct_id: 'anonymous', groups: {} }
    page.flags.identityChanged()
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    const next = createFixture({}, { storage, identity: page.identity })
    expect(next.flags.verbs.getFeatureFlags()).toEqual({ a: true })
  })

  it('of the next user survive a late reset notice in another tab', async () => {
    const storage = createMemoryKeyValue()
    const tabs = [1, 2].map(() => createFixture({}, { storage, identity: ANONYMOUS }))
    const [one, two] = [tabs[0]!, tabs[1]!]
    for (const tab of tabs) {
      tab.respond = () => createDecideResponse({ [tab.identity.distinct_id]: true })
      await tab.flags.verbs.reloadFeatureFlags()
      await tab.clock.advance(0)
    }
    one.identity = NEXT
    one.flags.reset()
    await one.clock.advance(0)
    expect(one.flags.verbs.getFeatureFlags()).toEqual({ next: true })

    two.identity = NEXT
    two.respond = () => 500
    two.flags.identityChanged('tab')
    expect(two.flags.verbs.getFeatureFlags()).toEqual({ next: true })
    await two.clock.advance(0)
    expect(createFixture({}, { storage, identity: NEXT }).flags.verbs.getFeatureFlags()).toEqual({ next: true })
  })

  it('are removed with properties by reset, also while opted out', async () => {
    const page = createFixture({}, { identity: ANONYMOUS })
    page.flags.verbs.setPersonPropertiesForFlags({ email: 'a@b.test' })
    await page.clock.advance(0)
    expect(page.storage.get('flags')).toContain('a@b.test')
    page.optedOut = true
    page.identity = NEXT
    page.flags.reset()
    await page.clock.advance(0)
    expect(page.storage.get('flags')).toBeNull()
  })

  it('are cleared when another tab resets', async () => {
    const page = createFixture({ bootstrap: { featureFlags: { boot: true } } }, { identity: ANONYMOUS })
    page.respond = () => 500
    page.identity = NEXT
    page.flags.identityChanged('tab')
    expect(page.flags.verbs.getFeatureFlags()).toEqual({})
    await page.clock.advance(0)
    expect(page.bodies()[0]).toMatchObject({ distinct_id: 'next' })
  })

  it('are not reloaded when another tab reports the same user', async () => {
    const page = createFixture({}, { identity: ANONYMOUS })
    page.respond = () => createDecideResponse({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    page.identity = { ...ANONYMOUS }
    page.flags.identityChanged('tab')
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
  })
})
