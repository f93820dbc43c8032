import { describe, expect, it } from 'vitest'
import { createAgentHarness } from '../../support/agent-harness.ts'
import { openExtended } from '../../support/extended-page.ts'

describe('unsetPersonProperties', () => {
  it('removes properties of the person, and of later flag requests', async () => {
    const harness = createAgentHarness()
    const page = openExtended(harness)
    page.agent.setPersonProperties({ plan: 'pro', team: 'red' })
    await harness.deliver(page)
    page.agent.unsetPersonProperties('plan')
    page.agent.setPersonProperties({ plan: 'pro', team: 'red' })
    const events = await harness.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.$set, properties.$unset])).toEqual([
      ['$set', undefined, ['plan']],
      // Sent again, although the same value was sent before.
      ['$set', { plan: 'pro', team: 'red' }, undefined],
    ])
    expect(events[0]!.properties.$process_person_profile).toBe(true)
    page.agent.unsetPersonProperties(['plan', 'other'])
    await harness.deliver(page)
    expect(harness.flagRequests.at(-1)!['person_properties']).toEqual({ team: 'red' })
  })

  it.each([undefined, '', [], [''], 7])('is refused without a name: %j', async (names) => {
    const harness = createAgentHarness()
    const page = openExtended(harness)
    page.agent.unsetPersonProperties(names as string)
    expect(page.extraWarnings).toEqual([['unsetPersonProperties() refused: no name']])
    expect(await harness.deliver(page)).toEqual([])
  })

  it('is refused without person profiles and after shutdown', async () => {
    const harness = createAgentHarness()
    const never = openExtended(harness, { personProfiles: 'never' })
    never.agent.unsetPersonProperties('plan')
    const closed = openExtended(harness)
    void closed.agent.shutdown()
    closed.agent.unsetPersonProperties('plan')
    expect([never.extraWarnings, closed.extraWarnings]).toEqual([
      [['unsetPersonProperties() refused: personProfiles']],
      [['unsetPersonProperties() refused: shut down']],
    ])
    expect(await harness.deliver(never)).toEqual([])
  })

  it('changes nothing while opted out', () => {
    const harness = createAgentHarness()
    const dropped: unknown[] = []
    const page = openExtended(harness, { onDrop: ({ event }, reason) => dropped.push([event, reason]) })
    page.agent.optOut()
    page.agent.unsetPersonProperties('plan')
    expect(dropped).toEqual([['$set', 'opted_out']])
  })
})

describe('groups', () => {
  it('are returned, the same object until they change, and left by resetGroups', async () => {
    const harness = createAgentHarness()
    const page = openExtended(harness)
    expect(page.agent.getGroups()).toEqual({})
    page.agent.group('company', 'acme', { seats: 5 })
    const groups = page.agent.getGroups()
    expect(groups).toEqual({ company: 'acme' })
    expect(page.agent.getGroups()).toBe(groups)
    page.agent.resetGroups()
    expect(page.agent.getGroups()).toEqual({})
    page.agent.capture('event')
    const events = await harness.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.$groups])).toEqual([
      ['$groupidentify', { company: 'acme' }],
      ['event', undefined],
    ])
    expect(harness.flagRequests.at(-1)).toMatchObject({ groups: {}, group_properties: {} })
    expect(openExtended(harness).agent.getGroups()).toEqual({})
  })

  it('are left without a request when there are none', async () => {
    const harness = createAgentHarness()
    const page = openExtended(harness)
    await harness.waitUntilIdle()
    const count = harness.flagRequests.length
    page.agent.resetGroups()
    await harness.waitUntilIdle()
    expect(harness.flagRequests).toHaveLength(count)
  })
})

describe('getConsent', () => {
  it.each([true, false])('is undecided until the user decides, with defaultOptIn %s', async (defaultOptIn) => {
    const harness = createAgentHarness()
    const { agent } = openExtended(harness, { defaultOptIn })
    expect([agent.getConsent(), agent.isOptedOut()]).toEqual(['undecided', !defaultOptIn])
    agent.optOut()
    expect([agent.getConsent(), agent.isOptedOut()]).toEqual(['denied', true])
    await harness.waitUntilIdle()
    const later = openExtended(harness, { defaultOptIn }).agent
    expect(later.getConsent()).toBe('denied')
    later.optIn()
    later.reset()
    expect([later.getConsent(), later.isOptedOut()]).toEqual(['granted', false])
  })

  it('is granted by optIn() although nothing changes for capture', async () => {
    const harness = createAgentHarness()
    openExtended(harness).agent.optIn()
    await harness.waitUntilIdle()
    expect(openExtended(harness).agent.getConsent()).toBe('granted')
  })
})
