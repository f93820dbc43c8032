import { describe, expect, it } from 'vitest'
import type { Options, Waymark } from '../../src/entry/index.ts'
import { createAgentWorld } from '../support/agent-harness.ts'
import type { Arrived } from '../support/agent-harness.ts'

const summary = ({ event, distinct_id, properties }: Arrived) => [event, distinct_id, properties]
const started = async (options?: Parameters<ReturnType<typeof createAgentWorld>['open']>[0]) => {
  const world = createAgentWorld()
  const page = world.open(options)
  await world.idle()
  return { world, page, agent: page.agent, anonymous: page.agent.getDistinctId() }
}

describe('a first visit', () => {
  it('has one anonymous id, which later pages find again', async () => {
    const { world, agent, anonymous } = await started()
    expect(anonymous).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    expect(agent.getAnonymousId()).toBe(anonymous)
    const next = world.open().agent
    expect([next.getDistinctId(), next.getAnonymousId()]).toEqual([anonymous, anonymous])
  })

  it('finds identity, super properties, groups and consent again when only the event store kept them', async () => {
    const { world, agent } = await started()
    agent.identify('user')
    agent.group('company', 'acme')
    agent.register({ plan: 'pro' })
    await world.arrived({ agent } as never)
    world.loseStorage()
    const page = world.open()
    page.agent.capture('early')
    const [event] = await world.arrived(page)
    expect(event).toMatchObject({ distinct_id: 'user', properties: { plan: 'pro', $groups: { company: 'acme' } } })
    expect(page.agent.getDistinctId()).toBe('user')
    // Flags were asked for the unknown user first.
    expect(world.asked.at(-1)).toMatchObject({ distinct_id: 'user', groups: { company: 'acme' } })
  })
})

describe('identify', () => {
  it('sends one $identify with the id before, and both kinds of properties', async () => {
    const { world, page, agent, anonymous } = await started()
    agent.identify('user', { email: 'a@b.test' }, { first: 1 })
    const events = await world.arrived(page)
    expect(events.map(summary)).toEqual([
      [
        '$identify',
        'user',
        expect.objectContaining({
          distinct_id: 'user',
          $anon_distinct_id: anonymous,
          $set: { email: 'a@b.test' },
          $set_once: { $initial_pathname: '/home', first: 1 },
          $is_identified: true,
          $process_person_profile: true,
          $device_id: anonymous,
        }),
      ],
    ])
    expect([agent.getDistinctId(), agent.getAnonymousId()]).toEqual(['user', anonymous])
    expect(world.open().agent.getDistinctId()).toBe('user')
  })

  it('loads the flags for the new id, with the anonymous id and the properties', async () => {
    const { world, agent, anonymous } = await started()
    agent.identify('user', { plan: 'pro' }, { plan: 'free', first: 1 })
    await world.idle()
    expect(world.asked).toHaveLength(2)
    expect(world.asked[1]).toMatchObject({
      distinct_id: 'user',
      $anon_distinct_id: anonymous,
      person_properties: { plan: 'pro', first: 1 },
    })
  })

  it('takes along what was set for flags while the user was anonymous', async () => {
    const { world, agent } = await started()
    agent.setPersonPropertiesForFlags({ beta: true })
    agent.identify('user', { plan: 'pro' })
    await world.idle()
    expect(world.asked.at(-1)).toHaveProperty('person_properties', { beta: true, plan: 'pro' })
  })

  it('with the same id again sends new properties as $set, and the same ones never twice', async () => {
    const { world, page, agent } = await started()
    agent.identify('user', { plan: 'free' })
    agent.identify('user')
    agent.identify('user', { plan: 'free' })
    agent.identify('user', { plan: 'pro' })
    agent.identify('user', { plan: 'pro' })
    const events = await world.arrived(page)
    expect(events.map(({ event, properties }) => [event, properties.$set])).toEqual([
      ['$identify', { plan: 'free' }],
      ['$set', { plan: 'pro' }],
    ])
  })

  it('with the anonymous id makes the user identified, by $set', async () => {
    const { world, page, agent, anonymous } = await started()
    agent.identify(anonymous)
    agent.identify(anonymous)
    const events = await world.arrived(page)
    expect(events.map(({ event, properties }) => [event, properties.$is_identified])).toEqual([['$set', true]])
  })

  it('sends properties again that were dropped while opted out', async () => {
    const { world, page, agent } = await started()
    agent.identify('user')
    agent.optOut()
    agent.identify('user', { plan: 'pro' })
    agent.optIn()
    agent.identify('user', { plan: 'pro' })
    expect((await world.arrived(page)).map(({ event }) => event)).toEqual(['$identify', '$set'])
  })

  it("of another user does not take the first one's properties along", async () => {
    const { world, page, agent } = await started()
    agent.identify('one', { plan: 'pro' })
    agent.identify('two', { age: 7 })
    const [, second] = await world.arrived(page)
    expect(second).toMatchObject({ event: '$identify', properties: { $anon_distinct_id: 'one' } })
    expect(world.asked.at(-1)).toMatchObject({ distinct_id: 'two' })
    expect(world.asked.at(-1)).toHaveProperty('person_properties', { age: 7 })
  })

  it('takes properties that JSON cannot carry', async () => {
    const { world, page, agent } = await started()
    const cyclic: Record<string, unknown> = { big: 7n }
    cyclic.self = cyclic
    agent.identify('user', cyclic)
    agent.register(cyclic)
    agent.group('company', 'acme', cyclic)
    agent.capture('later')
    const events = await world.arrived(page)
    expect(events.map(({ event }) => event)).toEqual(['$identify', '$groupidentify', 'later'])
    expect(events[0]!.properties.$set).toEqual({ big: '[BigInt 7]', self: '[Circular]' })
    expect(events[2]!.properties).toMatchObject({ big: '[BigInt 7]', self: '[Circular]' })
    await world.clock.advance(1_000)
    expect(page.warnings).toEqual([])
  })
})

describe('setPersonProperties', () => {
  it('sends both kinds under the current id, and the same ones not twice', async () => {
    const { world, page, agent, anonymous } = await started()
    agent.setPersonProperties({ plan: 'pro' }, { first: 1 })
    agent.setPersonProperties({ plan: 'pro' }, { first: 1 })
    agent.setPersonProperties({ plan: 'free' })
    const events = await world.arrived(page)
    expect(events.map(({ event, distinct_id, properties }) => [event, distinct_id, properties.$set])).toEqual([
      ['$set', anonymous, { plan: 'pro' }],
      ['$set', anonymous, { plan: 'free' }],
    ])
    expect(events[0]!.properties).toMatchObject({ $set_once: { first: 1 }, $process_person_profile: true })
    expect(world.asked.at(-1)).toMatchObject({ person_properties: { plan: 'free', first: 1 } })
  })

  it('sends what identify() sent last not again, and what changed', async () => {
    const { world, page, agent } = await started()
    agent.identify('user', { plan: 'pro' })
    agent.setPersonProperties({ plan: 'pro' })
    agent.identify('user', { plan: 'pro' })
    agent.identify('user', { plan: 'free' })
    expect((await world.arrived(page)).map(({ event }) => event)).toEqual(['$identify', '$set'])
  })

  it('and identify() tell the service nothing that it knows, on later pages too, and ask for no flags then', async () => {
    const { world, page, agent } = await started({ preloadFeatureFlags: false })
    const again = (verbs: typeof agent) => {
      verbs.identify('user', { plan: 'pro' }, { first: 1 })
      verbs.setPersonProperties({ age: 7 })
    }
    again(agent)
    again(agent)
    expect((await world.arrived(page)).map(({ event }) => event)).toEqual(['$identify', '$set'])
    const { length } = world.asked
    const next = world.open({ preloadFeatureFlags: false })
    again(next.agent)
    expect(await world.arrived(next)).toEqual([])
    expect(world.asked).toHaveLength(length)
    // Back to an earlier value is news, too.
    next.agent.setPersonProperties({ plan: 'free' })
    next.agent.setPersonProperties({ plan: 'pro' })
    next.agent.setPersonProperties({}, { first: 2 })
    next.agent.setPersonProperties({}, { plan: 'first' })
    expect((await world.arrived(next)).map(({ properties }) => [properties.$set, properties.$set_once])).toEqual([
      [{ plan: 'free' }, undefined],
      [{ plan: 'pro' }, undefined],
      [{}, { plan: 'first' }],
    ])
    next.agent.reset()
    next.agent.setPersonProperties({ age: 7 })
    expect((await world.arrived(next)).map(({ event }) => event)).toEqual(['$set'])
  })

  it.each([[[]], [[{}]], [[null, null]], [[{}, {}]], [['pro', 7]]])('of nothing (%j) is harmless', async (args) => {
    const { world, page, agent } = await started()
    ;(agent.setPersonProperties as (...given: unknown[]) => void)(...args)
    agent.capture('event')
    const events = await world.arrived(page)
    expect(events.map(({ event, properties }) => [event, properties.$process_person_profile])).toEqual([
      ['event', false],
    ])
    expect(page.warnings).toEqual([])
  })
})

describe('createPersonProfile', () => {
  it('sends one $set without content, and later events belong to the profile, also on later pages', async () => {
    const { world, page, agent, anonymous } = await started()
    agent.createPersonProfile()
    agent.createPersonProfile()
    const first = await world.arrived(page)
    const next = world.open()
    next.agent.createPersonProfile()
    next.agent.capture('later')
    expect([...first, ...(await world.arrived(next))].map(summary)).toEqual([
      [
        '$set',
        anonymous,
        expect.objectContaining({ $set: {}, $set_once: { $initial_pathname: '/home' }, $process_person_profile: true }),
      ],
      ['later', anonymous, expect.objectContaining({ $process_person_profile: true, $is_identified: false })],
    ])
  })

  it.each([
    ['while opted out', (agent: Waymark) => agent.optOut()],
    ['by a hook', (_agent: Waymark, options: Options) => (options.before_send = () => null)],
  ])('dropped %s makes no profile, and is sent when called again', async (_how, refuse) => {
    const options: Options = {}
    const { world, page, agent } = await started(options)
    refuse(agent, options)
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
      (await world.arrived(page)).map(({ event, properties }) => [
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
    const { world, page, agent } = await started()
    agent.identify('user')
    agent.createPersonProfile()
    expect((await world.arrived(page)).map(({ event }) => event)).toEqual(['$identify'])
  })
})

describe('the device id', () => {
  it('is made on first use, found again by later pages, and kept by identify and reset', async () => {
    const { world, agent } = await started()
    const device = agent.getDeviceId()
    expect(device).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
    agent.identify('user')
    agent.reset()
    expect([agent.getDeviceId(), world.open().agent.getDeviceId()]).toEqual([device, device])
    agent.reset({ resetDeviceID: true })
    expect(agent.getDeviceId()).not.toBe(device)
    expect(world.open().agent.getDeviceId()).toBe(agent.getDeviceId())
  })
})

describe('groupIdentify', () => {
  it('sends the event alone: the groups of the user stay', async () => {
    const { world, page, agent } = await started()
    agent.group('company', 'acme')
    agent.groupIdentify('company', 'other', { seats: 5 })
    agent.capture('event')
    const [, event, later] = await world.arrived(page)
    expect(event).toMatchObject({
      event: '$groupidentify',
      properties: { $group_type: 'company', $group_key: 'other', $group_set: { seats: 5 } },
    })
    expect(later!.properties.$groups).toEqual({ company: 'acme' })
  })
})

describe('a call without an id', () => {
  it.each([
    ['identify', ['']],
    ['identify', ['  ']],
    ['identify', [undefined]],
    ['identify', [42]],
    ['alias', ['']],
    ['alias', []],
    ['group', ['', 'acme']],
    ['group', ['company', '']],
    ['group', ['company']],
    ['groupIdentify', ['', 'acme']],
    ['groupIdentify', ['company', null]],
  ] as const)('%s(%j) changes nothing, sends nothing, and warns', async (verb, args) => {
    const { world, page, agent } = await started()
    const before = world.storage.get('state')
    ;(agent[verb] as (...given: readonly unknown[]) => void)(...args)
    expect(await world.arrived(page)).toEqual([])
    expect(world.storage.get('state')).toBe(before)
    expect(world.asked).toHaveLength(1)
    expect(page.warnings).toHaveLength(1)
    expect(page.warnings[0]![0]).toContain(`${verb}()`)
  })
})

describe('alias', () => {
  it('sends the given id under the current one, and begins a person profile', async () => {
    const { world, page, agent, anonymous } = await started()
    agent.alias('user')
    agent.capture('later')
    const events = await world.arrived(page)
    expect(events.map(summary)).toEqual([
      ['$create_alias', anonymous, expect.objectContaining({ alias: 'user', distinct_id: anonymous })],
      ['later', anonymous, expect.objectContaining({ $process_person_profile: true, $is_identified: false })],
    ])
  })
})

describe('group', () => {
  it('goes with every later event, also of later pages', async () => {
    const { world, page, agent } = await started()
    agent.group('company', 'acme', { seats: 5 })
    agent.group('team', 'blue')
    agent.capture('later')
    const events = await world.arrived(page)
    expect(events.map(({ event }) => event)).toEqual(['$groupidentify', '$groupidentify', 'later'])
    expect(events[0]!.properties).toMatchObject({
      $group_type: 'company',
      $group_key: 'acme',
      $group_set: { seats: 5 },
    })
    expect(events[1]!.properties).not.toHaveProperty('$group_set')
    expect(events[2]!.properties.$groups).toEqual({ company: 'acme', team: 'blue' })
    const next = world.open()
    next.agent.capture('next page')
    expect((await world.arrived(next))[0]!.properties.$groups).toEqual({ company: 'acme', team: 'blue' })
  })

  it('sends the event when the key is new or properties are given, and loads flags then', async () => {
    const { world, page, agent } = await started()
    agent.group('company', 'acme')
    await world.idle()
    expect(world.asked.at(-1)).toMatchObject({ groups: { company: 'acme' } })
    const { length } = world.asked
    agent.group('company', 'acme')
    expect(await world.arrived(page)).toHaveLength(1)
    expect(world.asked).toHaveLength(length)
    agent.group('company', 'acme', { seats: 6 })
    expect(await world.arrived(page)).toHaveLength(1)
    expect(world.asked.at(-1)).toMatchObject({ group_properties: { company: { seats: 6 } } })
    agent.group('company', 'other')
    expect(await world.arrived(page)).toHaveLength(1)
    expect(world.asked.at(-1)).toMatchObject({ groups: { company: 'other' } })
    expect(world.asked.at(-1)!.group_properties).toEqual({})
  })

  it('describes it again with the same properties, but loads flags only for others', async () => {
    const { world, page, agent } = await started()
    agent.group('company', 'acme', { seats: 5, plan: 'pro' })
    await world.arrived(page)
    const { length } = world.asked
    const next = world.open({ preloadFeatureFlags: false })
    next.agent.group('company', 'acme', { plan: 'pro' })
    expect((await world.arrived(next)).map(({ event }) => event)).toEqual(['$groupidentify'])
    expect(world.asked).toHaveLength(length)
    next.agent.group('company', 'acme', { plan: 'free' })
    await world.idle()
    expect(world.asked).toHaveLength(length + 1)
  })

  it('turns profile processing on', async () => {
    const { world, page, agent } = await started()
    agent.group('company', 'acme')
    agent.capture('later')
    const events = await world.arrived(page)
    expect(events.map(({ properties }) => properties.$process_person_profile)).toEqual([true, true])
  })
})

describe('personProfiles', () => {
  it("'never' refuses what needs a profile, and marks every event", async () => {
    const { world, page, agent, anonymous } = await started({ personProfiles: 'never' })
    const before = world.storage.get('state')
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
    expect(world.storage.get('state')).toBe(before)
    agent.capture('event')
    const events = await world.arrived(page)
    expect(events.map(summary)).toEqual([
      ['event', anonymous, expect.objectContaining({ $process_person_profile: false })],
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
      ].map((verb) => `${verb}() refused: personProfiles is 'never'`),
    )
  })

  it.each([
    ['identified_only', [false, true]],
    ['always', [true, true]],
  ] as const)('%s: before and after identify %j', async (personProfiles, expected) => {
    const { world, page, agent } = await started({ personProfiles })
    agent.capture('before')
    agent.identify('user')
    agent.capture('after')
    const [before, , after] = await world.arrived(page)
    expect([before, after].map((event) => event!.properties.$process_person_profile)).toEqual(expected)
  })
})

describe('reset', () => {
  it('makes another anonymous user, and keeps the device, the queue and consent', async () => {
    const { world, page, agent, anonymous } = await started()
    agent.identify('user')
    agent.group('company', 'acme')
    agent.register({ plan: 'pro' })
    agent.screen('Home')
    const session = agent.getSessionId()
    agent.reset()
    expect(agent.getDistinctId()).not.toBe(anonymous)
    expect(agent.getAnonymousId()).toBe(agent.getDistinctId())
    expect(agent.getSessionId()).not.toBe(session)
    agent.capture('after')
    const events = await world.arrived(page)
    expect(events.map(({ event }) => event)).toEqual(['$identify', '$groupidentify', '$screen', 'after'])
    const { properties } = events[3]!
    expect(properties).toMatchObject({ $device_id: anonymous, $is_identified: false, $process_person_profile: false })
    for (const gone of ['plan', '$groups', '$screen_name']) expect(properties).not.toHaveProperty(gone)
    agent.optOut()
    agent.reset()
    expect(agent.isOptedOut()).toBe(true)
  })

  it.each([true, { resetDeviceID: true }])('gives the device another id when asked by %j', async (options) => {
    const { world, page, agent, anonymous } = await started()
    agent.reset(options)
    agent.capture('after')
    const [event] = await world.arrived(page)
    expect(event!.properties.$device_id).toBe(agent.getDistinctId())
    expect(event!.properties.$device_id).not.toBe(anonymous)
  })

  it('empties the flags at once, and loads those of the new user', async () => {
    const world = createAgentWorld()
    world.flags = { beta: true }
    const { agent } = world.open()
    agent.identify('user')
    await world.idle()
    expect(agent.getFeatureFlag('beta')).toBe(true)
    agent.reset()
    expect(agent.getFeatureFlag('beta')).toBeUndefined()
    await world.idle()
    expect(agent.getFeatureFlag('beta')).toBe(true)
    expect(world.asked.at(-1)).toMatchObject({ distinct_id: agent.getDistinctId() })
    expect(world.asked.at(-1)).not.toHaveProperty('$anon_distinct_id')
  })
})

describe('super properties', () => {
  it('go with every later event of this and later pages, below the caller and above what is automatic', async () => {
    const { world, page, agent } = await started()
    agent.register({ plan: 'free', $lib: 'mine' })
    agent.register({ plan: 'pro', age: 7 })
    agent.capture('one', { age: 8 })
    expect((await world.arrived(page))[0]!.properties).toMatchObject({ plan: 'pro', age: 8, $lib: 'mine' })
    const next = world.open()
    next.agent.capture('two')
    expect((await world.arrived(next))[0]!.properties).toMatchObject({ plan: 'pro', age: 7 })
  })

  it('stand above flags and the session entry, too', async () => {
    const world = createAgentWorld()
    world.flags = { beta: true }
    const page = world.open()
    await world.idle()
    page.agent.register({ '$feature/beta': 'mine', $session_entry_pathname: '/mine' })
    page.agent.capture('event')
    expect((await world.arrived(page))[0]!.properties).toMatchObject({
      '$feature/beta': 'mine',
      $session_entry_pathname: '/mine',
    })
  })

  it('end by unregister, and by null', async () => {
    const { world, page, agent } = await started()
    agent.register({ plan: 'pro', age: 7, kept: 0 })
    agent.unregister('plan')
    agent.unregister('missing')
    agent.register({ age: null })
    agent.capture('one')
    const [event] = await world.arrived(page)
    expect(event!.properties.kept).toBe(0)
    expect(event!.properties).not.toHaveProperty('plan')
    expect(event!.properties).not.toHaveProperty('age')
  })

  it.each(['pro', 7, true])('that are none (%j) change nothing', async (given) => {
    const { world, page, agent } = await started()
    agent.register({ kept: 1 })
    agent.register(given as never)
    agent.registerForSession(given as never)
    agent.identify('user', given as never)
    agent.capture('event')
    const [identify, event] = await world.arrived(page)
    expect(identify!.properties.$set).toEqual({})
    expect(event!.properties).toMatchObject({ kept: 1 })
    expect(Object.keys(event!.properties)).not.toContain('0')
  })

  it('registerOnce keeps what is there, and takes the rest', async () => {
    const { world, page, agent } = await started()
    agent.register({ plan: 'pro' })
    agent.registerOnce({ plan: 'free', first: '/home', gone: null })
    agent.registerOnce({ first: '/later' })
    agent.capture('one')
    const first = await world.arrived(page)
    const next = world.open()
    next.agent.capture('two')
    const events = [...first, ...(await world.arrived(next))]
    expect(events).toHaveLength(2)
    for (const { properties } of events) {
      expect(properties).toMatchObject({ plan: 'pro', first: '/home' })
      expect(properties).not.toHaveProperty('gone')
    }
  })
})
