import { describe, expect, it } from 'vitest'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { decided, fixture } from './flags-fixture.ts'

const ANONYMOUS = { distinct_id: 'anonymous', groups: {} }
const NEXT = { distinct_id: 'next', groups: {} }

describe('stored flags', () => {
  it('of somebody else are not read', async () => {
    const storage = memoryKeyValue()
    const page = fixture({}, { storage, identity: ANONYMOUS })
    page.answer = () => decided({ a: true })
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    const other = fixture({}, { storage, identity: NEXT })
    expect(other.flags.verbs.getFeatureFlags()).toEqual({})
    await other.flags.verbs.reloadFeatureFlags()
    expect(other.bodies()[0]).toHaveProperty('person_properties', {})
  })

  it('stay those of a user who is identified, on this page and the next', async () => {
    const storage = memoryKeyValue()
    const page = fixture({}, { storage, identity: ANONYMOUS })
    page.answer = (index) => (index ? 500 : decided({ a: true }))
    await page.flags.verbs.reloadFeatureFlags()
    page.identity = { distinct_id: 'user', $anon_distinct_id: 'anonymous', groups: {} }
    page.flags.identityChanged()
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    const next = fixture({}, { storage, identity: page.identity })
    expect(next.flags.verbs.getFeatureFlags()).toEqual({ a: true })
  })

  it('of the next user survive that another tab hears of the reset later', async () => {
    const storage = memoryKeyValue()
    const tabs = [1, 2].map(() => fixture({}, { storage, identity: ANONYMOUS }))
    const [one, two] = [tabs[0]!, tabs[1]!]
    for (const tab of tabs) {
      tab.answer = () => decided({ [tab.identity.distinct_id]: true })
      await tab.flags.verbs.reloadFeatureFlags()
      await tab.clock.advance(0)
    }
    one.identity = NEXT
    one.flags.reset()
    await one.clock.advance(0)
    expect(one.flags.verbs.getFeatureFlags()).toEqual({ next: true })

    two.identity = NEXT
    two.answer = () => 500
    two.flags.identityChanged('tab')
    expect(two.flags.verbs.getFeatureFlags()).toEqual({ next: true })
    await two.clock.advance(0)
    expect(fixture({}, { storage, identity: NEXT }).flags.verbs.getFeatureFlags()).toEqual({ next: true })
  })

  it('and properties are gone from storage after reset, also while opted out', async () => {
    const page = fixture({}, { identity: ANONYMOUS })
    page.flags.verbs.setPersonPropertiesForFlags({ email: 'a@b.test' })
    await page.clock.advance(0)
    expect(page.storage.get('flags')).toContain('a@b.test')
    page.optedOut = true
    page.identity = NEXT
    page.flags.reset()
    await page.clock.advance(0)
    expect(page.storage.get('flags')).toBeNull()
  })

  it('are emptied when another tab reset and has no answer yet', async () => {
    const page = fixture({ bootstrap: { featureFlags: { boot: true } } }, { identity: ANONYMOUS })
    page.answer = () => 500
    page.identity = NEXT
    page.flags.identityChanged('tab')
    expect(page.flags.verbs.getFeatureFlags()).toEqual({})
    await page.clock.advance(0)
    expect(page.bodies()[0]).toMatchObject({ distinct_id: 'next' })
  })

  it('are left alone by another tab that changed nothing about the user', async () => {
    const page = fixture({}, { identity: ANONYMOUS })
    page.answer = () => decided({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    page.identity = { ...ANONYMOUS }
    page.flags.identityChanged('tab')
    await page.clock.advance(0)
    expect(page.requests).toHaveLength(1)
  })
})
