import { describe, expect, it } from 'vitest'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { createDecideResponse, createFixture } from './flags-fixture.ts'

const ANONYMOUS = { distinct_id: 'anonymous', groups: {} }
const NEXT_USER = { distinct_id: 'next', groups: {} }

describe('stored flags', () => {
  it('of another user are not read', async () => {
    const storage = createMemoryKeyValue()
    const page = createFixture({}, { storage, identity: ANONYMOUS })
    page.respond = () => createDecideResponse({ a: true })
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    const otherPage = createFixture({}, { storage, identity: NEXT_USER })
    expect(otherPage.flags.verbs.getFeatureFlags()).toEqual({})
    await otherPage.flags.verbs.reloadFeatureFlags()
    expect(otherPage.bodies()[0]).toHaveProperty('person_properties', {})
  })

  it('stay after identify, on this page and the next', async () => {
    const storage = createMemoryKeyValue()
    const page = createFixture({}, { storage, identity: ANONYMOUS })
    page.respond = (index) => (index ? 500 : createDecideResponse({ a: true }))
    await page.flags.verbs.reloadFeatureFlags()
    page.identity = { distinct_id: 'user', $anon_distinct_id: 'anonymous', groups: {} }
    page.flags.identityChanged()
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    const nextPage = createFixture({}, { storage, identity: page.identity })
    expect(nextPage.flags.verbs.getFeatureFlags()).toEqual({ a: true })
  })

  it('of a new user stay when another tab learns of the reset later', async () => {
    const storage = createMemoryKeyValue()
    const tabs = [1, 2].map(() => createFixture({}, { storage, identity: ANONYMOUS }))
    const [resettingTab, otherTab] = [tabs[0]!, tabs[1]!]
    for (const tab of tabs) {
      tab.respond = () => createDecideResponse({ [tab.identity.distinct_id]: true })
      await tab.flags.verbs.reloadFeatureFlags()
      await tab.clock.advance(0)
    }
    resettingTab.identity = NEXT_USER
    resettingTab.flags.reset()
    await resettingTab.clock.advance(0)
    expect(resettingTab.flags.verbs.getFeatureFlags()).toEqual({ next: true })

    otherTab.identity = NEXT_USER
    otherTab.respond = () => 500
    otherTab.flags.identityChanged('tab')
    expect(otherTab.flags.verbs.getFeatureFlags()).toEqual({ next: true })
    await otherTab.clock.advance(0)
    expect(createFixture({}, { storage, identity: NEXT_USER }).flags.verbs.getFeatureFlags()).toEqual({ next: true })
  })

  it('are removed by reset with their properties, also while opted out', async () => {
    const page = createFixture({}, { identity: ANONYMOUS })
    page.flags.verbs.setPersonPropertiesForFlags({ email: 'a@b.test' })
    await page.clock.advance(0)
    expect(page.storage.get('flags')).toContain('a@b.test')
    page.optedOut = true
    page.identity = NEXT_USER
    page.flags.reset()
    await page.clock.advance(0)
    expect(page.storage.get('flags')).toBeNull()
  })

  it('are cleared when another tab resets', async () => {
    const page = createFixture({ bootstrap: { featureFlags: { boot: true } } }, { identity: ANONYMOUS })
    page.respond = () => 500
    page.identity = NEXT_USER
    page.flags.identityChanged('tab')
    expect(page.flags.verbs.getFeatureFlags()).toEqual({})
    await page.clock.advance(0)
    expect(page.bodies()[0]).toMatchObject({ distinct_id: 'next' })
  })

  it.each(['here', 'here while opted out', 'in another tab'])(
    'are told to listeners at once when the user is reset %s',
    async (where) => {
      const page = createFixture({}, { identity: ANONYMOUS })
      page.respond = () => createDecideResponse({ a: true })
      await page.flags.verbs.reloadFeatureFlags()
      const received: unknown[] = []
      page.flags.verbs.onFeatureFlags((flags, { isStale }) => received.push([flags, isStale]))
      page.optedOut = where === 'here while opted out'
      page.identity = NEXT_USER
      if (where === 'in another tab') page.flags.identityChanged('tab')
      else page.flags.reset()
      expect(received).toEqual([
        [{ a: true }, false],
        [{}, true],
      ])
    },
  )

  it('of a reset are told to listeners with the bootstrapped ones of the new user', async () => {
    const page = createFixture({ bootstrap: { featureFlags: { hero: 'calm' } } }, { identity: ANONYMOUS })
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((flags) => received.push(flags))
    page.identity = NEXT_USER
    page.flags.reset({ featureFlags: { hero: 'bold' } })
    expect(received).toEqual([{ hero: 'calm' }, { hero: 'bold' }])
  })

  it('are not told to listeners when the user is identified, before the load', async () => {
    const page = createFixture({ bootstrap: { featureFlags: { a: true } } }, { identity: ANONYMOUS })
    let calls = 0
    page.flags.verbs.onFeatureFlags(() => calls++)
    page.identity = { distinct_id: 'user', $anon_distinct_id: 'anonymous', groups: {} }
    page.flags.identityChanged()
    expect(calls).toBe(1)
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
