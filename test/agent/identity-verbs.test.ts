import { describe, expect, it } from 'vitest'
import type { Options, Waymark } from '../../src/entry/index.ts'
import { createAgentHarness } from '../support/agent-harness.ts'
import type { ArrivedEvent } from '../support/agent-harness.ts'

const summarise = ({ event, distinct_id, properties }: ArrivedEvent) => [event, distinct_id, properties]
const openStartedPage = async (options?: Parameters<ReturnType<typeof createAgentHarness>['open']>[0]) => {
  const harness = createAgentHarness()
  const page = harness.open(options)
  await harness.waitUntilIdle()
  return { harness, page, agent: page.agent, anonymousId: page.agent.getDistinctId() }
}

describe('a first visit', () => {
  it('has one anonymous id, which later pages keep', async () => {
    const { harness, agent, anonymousId } = await openStartedPage()
    expect(anonymousId).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    expect(agent.getAnonymousId()).toBe(anonymousId)
    const nextPage = harness.open().agent
    expect([nextPage.getDistinctId(), nextPage.getAnonymousId()]).toEqual([anonymousId, anonymousId])
  })

  it('restores identity, super properties and groups from the event store alone', async () => {
    const { harness, agent } = await openStartedPage()
    agent.identify('user')
    agent.group('company', 'acme')
    agent.register({ plan: 'pro' })
    await harness.deliver({ agent } as never)
    harness.loseStorage()
    const page = harness.open()
    page.agent.capture('early')
    const [event] = await harness.deliver(page)
    expect(event).toMatchObject({ distinct_id: 'user', properties: { plan: 'pro', $groups: { company: 'acme' } } })
    expect(page.agent.getDistinctId()).toBe('user')
    // The first flag request was for the unknown user.
    expect(harness.flagRequests.at(-1)).toMatchObject({ distinct_id: 'user', groups: { company: 'acme' } })
  })
})

describe('identify', () => {
  it('sends one $identify with the previous id and both kinds of properties', async () => {
    const { harness, page, agent, anonymousId } = await openStartedPage()
    agent.identify('user', { email: 'a@b.test' }, { first: 1 })
    const events = await harness.deliver(page)
    expect(events.map(summarise)).toEqual([
      [
        '$identify',
        'user',
        expect.objectContaining({
          distinct_id: 'user',
          $anon_distinct_id: anonymousId,
          $set: { email: 'a@b.test' },
          $set_once: { $initial_pathname: '/home', first: 1 },
          $is_identified: true,
          $process_person_profile: true,
          $device_id: anonymousId,
        }),
      ],
    ])
    expect([agent.getDistinctId(), agent.getAnonymousId()]).toEqual(['user', anonymousId])
    expect(harness.open().agent.getDistinctId()).toBe('user')
  })

  it('loads the flags for the new id with the anonymous id and the properties', async () => {
    const { harness, agent, anonymousId } = await openStartedPage()
    agent.identify('user', { plan: 'pro' }, { plan: 'free', first: 1 })
    await harness.waitUntilIdle()
    expect(harness.flagRequests).toHaveLength(2)
    expect(harness.flagRequests[1]).toMatchObject({
      distinct_id: 'user',
      $anon_distinct_id: anonymousId,
      person_properties: { plan: 'pro', first: 1 },
    })
  })

  it('keeps the properties for flags of the anonymous user', async () => {
    const { harness, agent } = await openStartedPage()
    agent.setPersonPropertiesForFlags({ beta: true })
    agent.identify('user', { plan: 'pro' })
    await harness.waitUntilIdle()
    expect(harness.flagRequests.at(-1)).toHaveProperty('person_properties', { beta: true, plan: 'pro' })
  })

  it('with the same id sends new properties as $set, and known properties only once', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.identify('user', { plan: 'free' })
    agent.identify('user')
    agent.identify('user', { plan: 'free' })
    agent.identify('user', { plan: 'pro' })
    agent.identify('user', { plan: 'pro' })
    const events = await harness.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.$set])).toEqual([
      ['$identify', { plan: 'free' }],
      ['$set', { plan: 'pro' }],
    ])
  })

  it('with the anonymous id identifies the user by $set', async () => {
    const { harness, page, agent, anonymousId } = await openStartedPage()
    agent.identify(anonymousId)
    agent.identify(anonymousId)
    const events = await harness.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.$is_identified])).toEqual([['$set', true]])
  })

  it('sends properties again that were dropped while opted out', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.identify('user')
    agent.optOut()
    agent.identify('user', { plan: 'pro' })
    agent.optIn()
    agent.identify('user', { plan: 'pro' })
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['$identify', '$set'])
  })

  it('of another user does not keep the properties of the first user', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.identify('one', { plan: 'pro' })
    agent.identify('two', { age: 7 })
    const [, second] = await harness.deliver(page)
    expect(second).toMatchObject({ event: '$identify', properties: { $anon_distinct_id: 'one' } })
    expect(harness.flagRequests.at(-1)).toMatchObject({ distinct_id: 'two' })
    expect(harness.flagRequests.at(-1)).toHaveProperty('person_properties', { age: 7 })
  })

  it('accepts properties that JSON cannot represent', async () => {
    const { harness, page, agent } = await openStartedPage()
    const cyclic: Record<string, unknown> = { big: 7n }
    cyclic.self = cyclic
    agent.identify('user', cyclic)
    agent.register(cyclic)
    agent.group('company', 'acme', cyclic)
    agent.capture('later')
    const events = await harness.deliver(page)
    expect(events.map(({ event }) => event)).toEqual(['$identify', '$groupidentify', 'later'])
    expect(events[0]!.properties.$set).toEqual({ big: '7', self: '[Circular]' })
    expect(events[2]!.properties).toMatchObject({ big: '7', self: '[Circular]' })
    await harness.clock.advance(1_000)
    expect(page.warnings).toEqual([])
  })
})

describe('setPersonProperties', () => {
  it('sends both kinds with the current id, and the same values only once', async () => {
    const { harness, page, agent, anonymousId } = await openStartedPage()
    agent.setPersonProperties({ plan: 'pro' }, { first: 1 })
    agent.setPersonProperties({ plan: 'pro' }, { first: 1 })
    agent.setPersonProperties({ plan: 'free' })
    const events = await harness.deliver(page)
    expect(events.map(({ event, distinct_id, properties }) => [event, distinct_id, properties.$set])).toEqual([
      ['$set', anonymousId, { plan: 'pro' }],
      ['$set', anonymousId, { plan: 'free' }],
    ])
    expect(events[0]!.properties).toMatchObject({ $set_once: { first: 1 }, $process_person_profile: true })
    expect(harness.flagRequests.at(-1)).toMatchObject({ person_properties: { plan: 'free', first: 1 } })
  })

  it('sends only values that differ from those of identify()', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.identify('user', { plan: 'pro' })
    agent.setPersonProperties({ plan: 'pro' })
    agent.identify('user', { plan: 'pro' })
    agent.identify('user', { plan: 'free' })
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['$identify', '$set'])
  })

  it('sends nothing and loads no flags for known values, also on later pages', async () => {
    const { harness, page, agent } = await openStartedPage({ preloadFeatureFlags: false })
    const setAll = (verbs: typeof agent) => {
      verbs.identify('user', { plan: 'pro' }, { first: 1 })
      verbs.setPersonProperties({ age: 7 })
    }
    setAll(agent)
    setAll(agent)
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['$identify', '$set'])
    const { length } = harness.flagRequests
    const nextPage = harness.open({ preloadFeatureFlags: false })
    setAll(nextPage.agent)
    expect(await harness.deliver(nextPage)).toEqual([])
    expect(harness.flagRequests).toHaveLength(length)
    // An earlier value that is set again is sent too.
    nextPage.agent.setPersonProperties({ plan: 'free' })
    nextPage.agent.setPersonProperties({ plan: 'pro' })
    nextPage.agent.setPersonProperties({}, { first: 2 })
    nextPage.agent.setPersonProperties({}, { plan: 'first' })
    expect((await harness.deliver(nextPage)).map(({ properties }) => [properties.$set, properties.$set_once])).toEqual([
      [{ plan: 'free' }, undefined],
      [{ plan: 'pro' }, undefined],
      [{}, { plan: 'first' }],
    ])
    nextPage.agent.reset()
    nextPage.agent.setPersonProperties({ age: 7 })
    expect((await harness.deliver(nextPage)).map(({ event }) => event)).toEqual(['$set'])
  })

  it.each([[[]], [[{}]], [[null, null]], [[{}, {}]], [['pro', 7]]])(
    'without properties (%j) has no effect',
    async (args) => {
      const { harness, page, agent } = await openStartedPage()
      ;(agent.setPersonProperties as (...args: unknown[]) => void)(...args)
      agent.capture('event')
      const events = await harness.deliver(page)
      expect(events.map(({ event, properties }) => [event, properties.$process_person_profile])).toEqual([
        ['event', false],
      ])
      expect(page.warnings).toEqual([])
    },
  )
})

describe('createPersonProfile', () => {
  it('sends one empty $set, and later events belong to the profile', async () => {
    const { harness, page, agent, anonymousId } = await openStartedPage()
    agent.createPersonProfile()
    agent.createPersonProfile()
    const first = await harness.deliver(page)
    const nextPage = harness.open()
    nextPage.agent.createPersonProfile()
    nextPage.agent.capture('later')
    expect([...first, ...(await harness.deliver(nextPage))].map(summarise)).toEqual([
      [
        '$set',
        anonymousId,
        expect.objectContaining({ $set: {}, $set_once: { $initial_pathname: '/home' }, $process_person_profile: true }),
      ],
      ['later', anonymousId, expect.objectContaining({ $process_person_profile: true, $is_identified: false })],
    ])
  })

  it.each([
    ['while opted out', (agent: Waymark) => agent.optOut()],
    ['by a hook', (_agent: Waymark, options: Options) => (options.before_send = () => null)],
  ])('dropped %s creates no profile, and is sent by the next call', async (_description, dropEvents) => {
    const options: Options = {}
    const { harness, page, agent } = await openStartedPage(options)
    dropEvents(agent, options)
    agent.createPersonProfile()
    agent.group('company', 'acme')
    delete options.before_send
    agent.optIn()
    agent.capture('without')
    agent.createPersonProfile()
    agent.group('company', 'acme')
    agent.group('company', 'acme')
    agent.capture('with')
    expect(
      (await harness.deliver(page)).map(({ event, properties }) => [
        event,
        properties.$process_person_profile,
        properties.$groups,
      ]),
    ).toEqual([
      ['without', false, { company: 'acme' }],
      ['$set', true, { company: 'acme' }],
      ['$groupidentify', true, { company: 'acme' }],
      ['with', true, { company: 'acme' }],
    ])
  })

  it('sends nothing for an identified user', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.identify('user')
    agent.createPersonProfile()
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['$identify'])
  })
})

describe('the device id', () => {
  it('is created on first use, and kept by later pages, identify and reset', async () => {
    const { harness, agent } = await openStartedPage()
    const deviceId = agent.getDeviceId()
    expect(deviceId).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    agent.identify('user')
    agent.reset()
    expect([agent.getDeviceId(), harness.open().agent.getDeviceId()]).toEqual([deviceId, deviceId])
    agent.reset({ resetDeviceID: true })
    expect(agent.getDeviceId()).not.toBe(deviceId)
    expect(harness.open().agent.getDeviceId()).toBe(agent.getDeviceId())
  })
})

describe('groupIdentify', () => {
  it('sends the event without changing the user’s groups', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.group('company', 'acme')
    agent.groupIdentify('company', 'other', { seats: 5 })
    agent.capture('event')
    const [, event, laterEvent] = await harness.deliver(page)
    expect(event).toMatchObject({
      event: '$groupidentify',
      properties: { $group_type: 'company', $group_key: 'other', $group_set: { seats: 5 } },
    })
    expect(laterEvent!.properties.$groups).toEqual({ company: 'acme' })
  })
})

describe('a call with an invalid id', () => {
  it.each([
    ['identify', ['']],
    ['identify', ['  ']],
    ['identify', [undefined]],
    ['identify', [Number.NaN]],
    ['alias', ['']],
    ['alias', []],
    ['group', ['', 'acme']],
    ['group', ['company', '']],
    ['group', ['company']],
    ['groupIdentify', ['', 'acme']],
    ['groupIdentify', ['company', null]],
  ] as const)('%s(%j) changes nothing, sends nothing, and warns', async (verb, args) => {
    const { harness, page, agent } = await openStartedPage()
    const storedState = harness.storage.get('state')
    ;(agent[verb] as (...args: readonly unknown[]) => void)(...args)
    expect(await harness.deliver(page)).toEqual([])
    expect(harness.storage.get('state')).toBe(storedState)
    expect(harness.flagRequests).toHaveLength(1)
    expect(page.warnings).toHaveLength(1)
    expect(page.warnings[0]![0]).toContain(`${verb}()`)
  })
})

describe('alias', () => {
  it('sends the alias with the current id, and creates a person profile', async () => {
    const { harness, page, agent, anonymousId } = await openStartedPage()
    agent.alias('user')
    agent.capture('later')
    const events = await harness.deliver(page)
    expect(events.map(summarise)).toEqual([
      ['$create_alias', anonymousId, expect.objectContaining({ alias: 'user', distinct_id: anonymousId })],
      ['later', anonymousId, expect.objectContaining({ $process_person_profile: true, $is_identified: false })],
    ])
  })
})

describe('group', () => {
  it('adds the group to every later event, also on later pages', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.group('company', 'acme', { seats: 5 })
    agent.group('team', 'blue')
    agent.capture('later')
    const events = await harness.deliver(page)
    expect(events.map(({ event }) => event)).toEqual(['$groupidentify', '$groupidentify', 'later'])
    expect(events[0]!.properties).toMatchObject({
      $group_type: 'company',
      $group_key: 'acme',
      $group_set: { seats: 5 },
    })
    expect(events[1]!.properties).not.toHaveProperty('$group_set')
    expect(events[2]!.properties.$groups).toEqual({ company: 'acme', team: 'blue' })
    const nextPage = harness.open()
    nextPage.agent.capture('next page')
    expect((await harness.deliver(nextPage))[0]!.properties.$groups).toEqual({ company: 'acme', team: 'blue' })
  })

  it('sends an event and loads flags for a new key or properties', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.group('company', 'acme')
    await harness.waitUntilIdle()
    expect(harness.flagRequests.at(-1)).toMatchObject({ groups: { company: 'acme' } })
    const { length } = harness.flagRequests
    agent.group('company', 'acme')
    expect(await harness.deliver(page)).toHaveLength(1)
    expect(harness.flagRequests).toHaveLength(length)
    agent.group('company', 'acme', { seats: 6 })
    expect(await harness.deliver(page)).toHaveLength(1)
    expect(harness.flagRequests.at(-1)).toMatchObject({ group_properties: { company: { seats: 6 } } })
    agent.group('company', 'other')
    expect(await harness.deliver(page)).toHaveLength(1)
    expect(harness.flagRequests.at(-1)).toMatchObject({ groups: { company: 'other' } })
    expect(harness.flagRequests.at(-1)!.group_properties).toEqual({})
  })

  it('sends known properties again, but loads flags only for new ones', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.group('company', 'acme', { seats: 5, plan: 'pro' })
    await harness.deliver(page)
    const { length } = harness.flagRequests
    const nextPage = harness.open({ preloadFeatureFlags: false })
    nextPage.agent.group('company', 'acme', { plan: 'pro' })
    expect((await harness.deliver(nextPage)).map(({ event }) => event)).toEqual(['$groupidentify'])
    expect(harness.flagRequests).toHaveLength(length)
    nextPage.agent.group('company', 'acme', { plan: 'free' })
    await harness.waitUntilIdle()
    expect(harness.flagRequests).toHaveLength(length + 1)
  })

  it('turns profile processing on', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.group('company', 'acme')
    agent.capture('later')
    const events = await harness.deliver(page)
    expect(events.map(({ properties }) => properties.$process_person_profile)).toEqual([true, true])
  })
})

describe('personProfiles', () => {
  it("'never' refuses verbs that need a profile, and marks every event", async () => {
    const { harness, page, agent, anonymousId } = await openStartedPage({ personProfiles: 'never' })
    const storedState = harness.storage.get('state')
    agent.identify('user')
    agent.alias('user')
    agent.group('company', 'acme')
    agent.groupIdentify('company', 'acme')
    agent.setPersonProperties({ plan: 'pro' })
    agent.createPersonProfile()
    agent.setPersonPropertiesForFlags({ plan: 'pro' })
    agent.setGroupPropertiesForFlags({ company: { seats: 5 } })
    agent.resetPersonPropertiesForFlags()
    agent.resetGroupPropertiesForFlags('company')
    expect(harness.storage.get('state')).toBe(storedState)
    agent.capture('event')
    const events = await harness.deliver(page)
    expect(events.map(summarise)).toEqual([
      ['event', anonymousId, expect.objectContaining({ $process_person_profile: false })],
    ])
    expect(events[0]!.properties).not.toHaveProperty('$groups')
    expect(page.warnings.map(([message]) => message)).toEqual(
      [
        'identify',
        'alias',
        'group',
        'groupIdentify',
        'setPersonProperties',
        'createPersonProfile',
        'setPersonPropertiesForFlags',
        'setGroupPropertiesForFlags',
        'resetPersonPropertiesForFlags',
        'resetGroupPropertiesForFlags',
      ].map((verb) => `${verb}() refused: personProfiles`),
    )
  })

  it.each([
    ['identified_only', [false, true]],
    ['always', [true, true]],
  ] as const)('%s: before and after identify %j', async (personProfiles, expected) => {
    const { harness, page, agent } = await openStartedPage({ personProfiles })
    agent.capture('before')
    agent.identify('user')
    agent.capture('after')
    const [firstEvent, , lastEvent] = await harness.deliver(page)
    expect([firstEvent, lastEvent].map((event) => event!.properties.$process_person_profile)).toEqual(expected)
  })
})

describe('reset', () => {
  it('creates a new anonymous user, and keeps device, queue and consent', async () => {
    const { harness, page, agent, anonymousId } = await openStartedPage()
    agent.identify('user')
    agent.group('company', 'acme')
    agent.register({ plan: 'pro' })
    agent.screen('Home')
    const sessionId = agent.getSessionId()
    agent.reset()
    expect(agent.getDistinctId()).not.toBe(anonymousId)
    expect(agent.getAnonymousId()).toBe(agent.getDistinctId())
    expect(agent.getSessionId()).not.toBe(sessionId)
    agent.capture('after')
    const events = await harness.deliver(page)
    expect(events.map(({ event }) => event)).toEqual(['$identify', '$groupidentify', '$screen', 'after'])
    const { properties } = events[3]!
    expect(properties).toMatchObject({ $device_id: anonymousId, $is_identified: false, $process_person_profile: false })
    for (const name of ['plan', '$groups', '$screen_name']) expect(properties).not.toHaveProperty(name)
    agent.optOut()
    agent.reset()
    expect(agent.isOptedOut()).toBe(true)
  })

  it.each([true, { resetDeviceID: true }])('creates a new device id with %j', async (options) => {
    const { harness, page, agent, anonymousId } = await openStartedPage()
    agent.reset(options)
    agent.capture('after')
    const [event] = await harness.deliver(page)
    expect(event!.properties.$device_id).toBe(agent.getDistinctId())
    expect(event!.properties.$device_id).not.toBe(anonymousId)
  })

  it('clears the flags immediately, and loads those of the new user', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const { agent } = harness.open()
    agent.identify('user')
    await harness.waitUntilIdle()
    expect(agent.getFeatureFlag('beta')).toBe(true)
    agent.reset()
    expect(agent.getFeatureFlag('beta')).toBeUndefined()
    await harness.waitUntilIdle()
    expect(agent.getFeatureFlag('beta')).toBe(true)
    expect(harness.flagRequests.at(-1)).toMatchObject({ distinct_id: agent.getDistinctId() })
    expect(harness.flagRequests.at(-1)).not.toHaveProperty('$anon_distinct_id')
  })
})

describe('super properties', () => {
  it('are on all later events, below the caller’s and above automatic properties', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.register({ plan: 'free', $lib: 'mine' })
    agent.register({ plan: 'pro', age: 7 })
    agent.capture('one', { age: 8 })
    expect((await harness.deliver(page))[0]!.properties).toMatchObject({ plan: 'pro', age: 8, $lib: 'mine' })
    const nextPage = harness.open()
    nextPage.agent.capture('two')
    expect((await harness.deliver(nextPage))[0]!.properties).toMatchObject({ plan: 'pro', age: 7 })
  })

  it('take precedence over flags and the session entry', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const page = harness.open()
    await harness.waitUntilIdle()
    page.agent.register({ '$feature/beta': 'mine', $session_entry_pathname: '/mine' })
    page.agent.capture('event')
    expect((await harness.deliver(page))[0]!.properties).toMatchObject({
      '$feature/beta': 'mine',
      $session_entry_pathname: '/mine',
    })
  })

  it('are removed by unregister and by null', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.register({ plan: 'pro', age: 7, kept: 0 })
    agent.unregister('plan')
    agent.unregister('missing')
    agent.register({ age: null })
    agent.capture('one')
    const [event] = await harness.deliver(page)
    expect(event!.properties.kept).toBe(0)
    expect(event!.properties).not.toHaveProperty('plan')
    expect(event!.properties).not.toHaveProperty('age')
  })

  it.each(['pro', 7, true])('that are not an object (%j) change nothing', async (value) => {
    const { harness, page, agent } = await openStartedPage()
    agent.register({ kept: 1 })
    agent.register(value as never)
    agent.registerForSession(value as never)
    agent.identify('user', value as never)
    agent.capture('event')
    const [identify, event] = await harness.deliver(page)
    expect(identify!.properties.$set).toEqual({})
    expect(event!.properties).toMatchObject({ kept: 1 })
    expect(Object.keys(event!.properties)).not.toContain('0')
  })

  it('registerOnce keeps registered properties and adds the others', async () => {
    const { harness, page, agent } = await openStartedPage()
    agent.register({ plan: 'pro' })
    agent.registerOnce({ plan: 'free', first: '/home', gone: null })
    agent.registerOnce({ first: '/later' })
    agent.capture('one')
    const first = await harness.deliver(page)
    const nextPage = harness.open()
    nextPage.agent.capture('two')
    const events = [...first, ...(await harness.deliver(nextPage))]
    expect(events).toHaveLength(2)
    for (const { properties } of events) {
      expect(properties).toMatchObject({ plan: 'pro', first: '/home' })
      expect(properties).not.toHaveProperty('gone')
    }
  })
})
