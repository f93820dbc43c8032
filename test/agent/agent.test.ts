import { anything, array, asyncProperty, assert, constantFrom, oneof, record, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OutgoingEvent } from '../../src/capture/before-send.ts'
import { createAgentWorld } from '../support/agent-harness.ts'
import type { AgentPage } from '../support/agent-harness.ts'

const MINUTE = 60_000

describe('capture', () => {
  it('sends the event with time, session, window and device', async () => {
    const world = createAgentWorld()
    const page = world.open()
    page.agent.capture('signed up', { plan: 'pro' })
    page.agent.capture('imported', undefined, { timestamp: new Date('2025-05-05T05:05:05+02:00') })
    const [first, second] = await world.deliver(page)
    expect(first).toMatchObject({
      event: 'signed up',
      timestamp: '2026-01-01T00:00:00.000Z',
      properties: {
        plan: 'pro',
        $session_id: page.agent.getSessionId(),
        $window_id: `window of ${page.agent.getSessionId()}`,
        $device_id: page.agent.getAnonymousId(),
      },
    })
    expect(second!.timestamp).toBe('2025-05-05T03:05:05.000Z')
  })

  it('treats null properties and options as missing', async () => {
    const world = createAgentWorld()
    const page = world.open()
    page.agent.capture('event', null as never, null as never)
    expect(await world.deliver(page)).toHaveLength(1)
  })

  it.each(['', ' ', undefined, null, 7, {}])('drops an event named %j, with a warning', async (name) => {
    const world = createAgentWorld()
    const dropped: unknown[] = []
    const page = world.open({ onDrop: (_event, reason) => dropped.push(reason) })
    page.agent.capture(name as string)
    page.agent.screen(name as string)
    expect(await world.deliver(page)).toEqual([])
    expect(dropped).toEqual(['invalid_event', 'invalid_event'])
    expect(page.warnings).toHaveLength(1)
    page.agent.capture('event')
    expect((await world.deliver(page))[0]!.properties).not.toHaveProperty('$screen_name')
  })

  it('passes each event through the hooks in order until one drops it', async () => {
    const world = createAgentWorld()
    const passedOn: string[] = []
    const dropped: [OutgoingEvent, string][] = []
    const page = world.open({
      before_send: [
        (event) => ({ ...event, properties: { ...event.properties, first: true } }),
        (event) => {
          if (event.event === 'throw') throw new Error('hook')
          return event.event === 'drop' ? null : event
        },
        (event) => (passedOn.push(event.event), event),
      ],
      onDrop: (event, reason) => dropped.push([event, reason]),
    })
    for (const name of ['keep', 'drop', 'throw']) page.agent.capture(name)
    const events = await world.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.first])).toEqual([['keep', true]])
    expect(passedOn).toEqual(['keep'])
    expect(dropped.map(([{ event }, reason]) => [event, reason])).toEqual([
      ['drop', 'before_send'],
      ['throw', 'before_send'],
    ])
  })
})

describe('pageview and screen', () => {
  it('capture their events', async () => {
    const world = createAgentWorld()
    const page = world.open()
    page.agent.pageview({ title: 'Home' })
    page.autocapture('$pageview', { title: 'Next' })
    const events = await world.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.title])).toEqual([
      ['$pageview', 'Home'],
      ['$pageview', 'Next'],
    ])
  })

  it('add the screen name to later events of this page only', async () => {
    const world = createAgentWorld()
    const page = world.open()
    page.agent.screen('Home', { dark: true })
    page.agent.capture('one')
    page.agent.screen('Basket')
    page.agent.capture('two')
    const events = await world.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.$screen_name])).toEqual([
      ['$screen', 'Home'],
      ['one', 'Home'],
      ['$screen', 'Basket'],
      ['two', 'Basket'],
    ])
    expect(events[0]!.properties.dark).toBe(true)
    const next = world.open()
    next.agent.capture('three')
    expect((await world.deliver(next))[0]!.properties).not.toHaveProperty('$screen_name')
  })
})

describe('consent', () => {
  it('keeps and sends no event while opted out, on this and the next page', async () => {
    const world = createAgentWorld()
    world.flags = { beta: true }
    const reasons = new Set<string>()
    const page = world.open({ onDrop: (_event, reason) => reasons.add(reason) })
    await world.idle()
    page.agent.optOut()
    const captureAll = ({ agent, autocapture }: typeof page) => {
      agent.capture('event')
      agent.screen('Home')
      agent.identify('user', { plan: 'pro' })
      agent.getFeatureFlag('beta')
      agent.surveyShown('survey')
      autocapture('$pageview')
    }
    captureAll(page)
    const next = world.open()
    expect(next.agent.isOptedOut()).toBe(true)
    captureAll(next)
    expect(await world.deliver(page)).toEqual([])
    expect(await world.deliver(next)).toEqual([])
    expect(world.service.requests).toEqual([])
    expect([...reasons]).toEqual(['opted_out'])
    // Warns once instead of at each event.
    expect(page.warnings).toHaveLength(1)
  })

  it('delivers events from before the opt-out at once after opting in', async () => {
    const world = createAgentWorld()
    const page = world.open()
    await world.idle()
    page.agent.capture('before')
    page.agent.optOut()
    page.agent.capture('meanwhile')
    await world.clock.advance(10 * MINUTE)
    expect(world.service.events()).toEqual([])
    page.agent.optIn()
    await world.idle()
    expect(world.service.names()).toEqual(['before'])
    page.agent.capture('after')
    expect((await world.deliver(page)).map(({ event }) => event)).toEqual(['before', 'after'])
  })

  it('loads the flags after opting in', async () => {
    const world = createAgentWorld()
    world.flags = { beta: true }
    const page = world.open({ defaultOptIn: false })
    await world.idle()
    expect(world.flagRequests).toEqual([])
    page.agent.optIn()
    await world.idle()
    expect(page.agent.getFeatureFlag('beta')).toBe(true)
    expect(world.flagRequests).toHaveLength(1)
  })

  it('uses the consent that another tab has stored, before its storage event', async () => {
    const world = createAgentWorld()
    const [one, other] = [world.open().agent, world.open().agent]
    await world.idle()
    one.optOut()
    one.optIn()
    one.optOut()
    other.optIn()
    expect(world.open().agent.isOptedOut()).toBe(false)
    one.optOut()
    expect(world.open().agent.isOptedOut()).toBe(true)
  })

  it('reports a flag that was read while opted out at its next read', async () => {
    const world = createAgentWorld()
    world.flags = { beta: true }
    const page = world.open()
    await world.idle()
    page.agent.optOut()
    page.agent.getFeatureFlag('beta')
    page.agent.optIn()
    page.agent.getFeatureFlag('beta')
    page.agent.getFeatureFlag('beta')
    expect((await world.deliver(page)).map(({ event }) => event)).toEqual(['$feature_flag_called'])
  })

  it('waits for optIn() with defaultOptIn: false, also for later pages', async () => {
    const world = createAgentWorld()
    const page = world.open({ defaultOptIn: false })
    page.agent.capture('before')
    expect(page.agent.isOptedOut()).toBe(true)
    page.agent.optIn()
    page.agent.capture('after')
    expect((await world.deliver(page)).map(({ event }) => event)).toEqual(['after'])
    expect(world.open({ defaultOptIn: false }).agent.isOptedOut()).toBe(false)
  })

  it('stores nothing with defaultOptIn: false before optIn()', async () => {
    const world = createAgentWorld()
    const page = world.open({ defaultOptIn: false })
    page.agent.capture('event')
    page.agent.getSessionId()
    page.agent.getFeatureFlag('beta')
    page.lifecycle.hide()
    page.lifecycle.unload()
    await world.clock.advance(MINUTE)
    expect(world.storage.get('state')).toBeNull()
    expect(await world.store.disk.keys('', '~')).toEqual([])
    expect(world.open({ defaultOptIn: false }).agent.getDistinctId()).not.toBe(page.agent.getDistinctId())
  })

  it('writes only consent and identity while opted out', async () => {
    const world = createAgentWorld()
    world.flags = { beta: true }
    const page = world.open()
    await world.idle()
    page.agent.register({ plan: 'free' })
    page.agent.optOut()
    await world.idle()
    const stored = async () => [
      world.storage.get('state'),
      world.storage.get('flags'),
      await world.store.disk.read('', '~', 100),
    ]
    const before = await stored()
    const { agent } = page
    agent.capture('event')
    agent.register({ plan: 'pro' })
    agent.registerForSession({ step: 1 })
    agent.unregister('plan')
    agent.screen('Home')
    agent.group('company', 'acme')
    agent.resetSession()
    agent.getSessionId()
    agent.getFeatureFlag('beta')
    agent.setPersonProperties({ plan: 'pro' })
    page.lifecycle.hide()
    page.lifecycle.unload()
    await world.clock.advance(10 * MINUTE)
    expect(await stored()).toEqual(before)
    agent.identify('user')
    await world.idle()
    expect(world.open().agent.getDistinctId()).toBe('user')
  })

  it('stores properties that were registered while opted out after opting in', async () => {
    const world = createAgentWorld()
    const page = world.open()
    page.agent.optOut()
    page.agent.register({ plan: 'pro' })
    page.agent.optIn()
    const next = world.open()
    next.agent.capture('event')
    expect((await world.deliver(next)).at(-1)!.properties.plan).toBe('pro')
  })

  it('forgets user and device with optOut({ clear: true }), but not the opt-out', async () => {
    const world = createAgentWorld()
    const { agent } = world.open()
    const device = agent.getDistinctId()
    agent.identify('user')
    agent.register({ plan: 'pro' })
    agent.optOut({ clear: true })
    const next = world.open()
    expect(next.agent.isOptedOut()).toBe(true)
    next.agent.optIn()
    next.agent.capture('anew')
    const events = await world.deliver(next)
    const { distinct_id, properties } = events.find(({ event }) => event === 'anew')!
    expect(distinct_id).not.toBe('user')
    expect(properties.$device_id).not.toBe(device)
    expect(properties).not.toHaveProperty('plan')
  })
})

describe('flags', () => {
  it('are added to events, and a read is reported once per value', async () => {
    const world = createAgentWorld()
    world.flags = { beta: true, color: 'blue', off: false }
    const page = world.open()
    await world.idle()
    const { agent } = page
    expect([agent.getFeatureFlag('color'), agent.isFeatureEnabled('color')]).toEqual(['blue', true])
    expect(agent.isFeatureEnabled('off', { defaultValue: true })).toBe(false)
    expect(agent.isFeatureEnabled('missing', { defaultValue: true })).toBe(true)
    agent.capture('event')
    const events = await world.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.$feature_flag])).toEqual([
      ['$feature_flag_called', 'color'],
      ['$feature_flag_called', 'off'],
      ['$feature_flag_called', 'missing'],
      ['event', undefined],
    ])
    expect(events[3]!.properties).toMatchObject({
      '$feature/color': 'blue',
      '$feature/off': false,
      $active_feature_flags: ['beta', 'color'],
    })
  })

  it('are reloaded when another tab identifies the user, changes a group or resets', async () => {
    const world = createAgentWorld()
    world.flags = { beta: true }
    const page = world.open()
    await world.idle()
    const other = world.open().agent
    await world.idle()
    const change = async (action: () => void) => {
      action()
      await world.idle()
      const { length } = world.flagRequests
      await page.storageChanged()
      expect(page.agent.getDistinctId()).toBe(other.getDistinctId())
      return world.flagRequests.slice(length)
    }
    expect(await change(() => other.identify('user'))).toMatchObject([{ distinct_id: 'user' }])
    expect(await change(() => other.group('company', 'acme'))).toMatchObject([{ groups: { company: 'acme' } }])
    expect(await change(() => other.register({ plan: 'pro' }))).toEqual([])
    const [request] = await change(() => other.reset())
    expect([request!.distinct_id, request!.groups]).toEqual([other.getDistinctId(), {}])
  })

  it.each([
    ['before the next event, after five seconds', (page: AgentPage) => page.agent.capture('next')],
    ['when the page becomes visible', (page: AgentPage) => page.lifecycle.wake('visible')],
  ])('are those of the new user after an unnoticed reset in another tab: %s', async (_when, act) => {
    const world = createAgentWorld()
    world.flags = { beta: true }
    const page = world.open()
    page.agent.identify('user')
    await world.idle()
    world.flags = {}
    const other = world.open().agent
    other.reset()
    await world.clock.advance(5_000)
    const { length } = world.flagRequests
    act(page)
    page.agent.capture('after')
    expect(page.agent.getFeatureFlags()).toEqual({})
    await world.idle()
    expect(world.flagRequests.slice(length)).toMatchObject([{ distinct_id: other.getDistinctId() }])
    const after = (await world.deliver(page)).filter(({ event }) => /next|after/.test(event))
    expect(new Set(after.map(({ distinct_id }) => distinct_id))).toEqual(new Set([other.getDistinctId()]))
    expect(after[0]!.properties).not.toHaveProperty('$feature/beta')
  })

  it('are reloaded when the page becomes visible after a long time', async () => {
    const world = createAgentWorld()
    const page = world.open({ flagsIntervalMs: 2 ** 40 })
    await world.idle()
    world.clock.set(world.clock.now() + 2 ** 41)
    page.lifecycle.wake('visible')
    await world.idle()
    expect(world.flagRequests).toHaveLength(2)
  })
})

describe('surveys', () => {
  it('are events with person properties', async () => {
    const world = createAgentWorld()
    const page = world.open()
    page.agent.surveyShown('s')
    page.agent.surveySent('s', 'Great')
    page.agent.surveyDismissed('s')
    const events = await world.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.$survey_id, properties.$set])).toEqual([
      ['survey shown', 's', { $survey_last_seen_date: '2026-01-01T00:00:00.000Z' }],
      ['survey sent', 's', { '$survey_responded/s': true }],
      ['survey dismissed', 's', { '$survey_dismissed/s': true }],
    ])
    expect(events[1]!.properties.$survey_response).toBe('Great')
  })

  it('are refused with a warning without an id', async () => {
    const world = createAgentWorld()
    const page = world.open()
    page.agent.surveyShown('')
    page.agent.surveySent(undefined as never, 'Great')
    page.agent.surveyDismissed(7 as never)
    expect(await world.deliver(page)).toEqual([])
    expect(page.warnings.map(([message]) => message)).toEqual(
      ['Shown', 'Sent', 'Dismissed'].map((verb) => `survey${verb}() refused: a string is missing`),
    )
  })
})

describe('the session', () => {
  it('continues with activity, and is a new one after 30 minutes without', async () => {
    const world = createAgentWorld()
    const { agent } = world.open({ preloadFeatureFlags: false })
    const id = agent.getSessionId()
    await world.clock.advance(29 * MINUTE)
    expect(agent.getSessionId()).toBe(id)
    agent.capture('active')
    await world.clock.advance(29 * MINUTE)
    expect(agent.getSessionId()).toBe(id)
    await world.clock.advance(30 * MINUTE)
    const next = agent.getSessionId()
    expect(next).not.toBe(id)
    expect(agent.getSessionId()).toBe(next)
  })
})

describe('shutdown', () => {
  it('delivers waiting events, refuses later ones and leaves no timer', async () => {
    const world = createAgentWorld()
    const dropped: string[] = []
    const page = world.open({ onDrop: ({ event }, reason) => dropped.push(`${event}: ${reason}`) })
    await world.idle()
    page.agent.capture('before')
    const ended = page.agent.shutdown()
    expect(page.shutdowns.count).toBe(1)
    expect(page.agent.shutdown()).toBe(ended)
    page.agent.capture('after')
    page.autocapture('$pageview')
    await world.idle()
    await ended
    expect(world.service.names()).toEqual(['before'])
    expect(dropped).toEqual(['after: shut_down'])
    expect([world.clock.pending(), page.lifecycle.listening()]).toEqual([0, 0])
    expect(page.shutdowns.count).toBe(1)
  })

  it('leaves the stored data unchanged and refuses later changes', async () => {
    const world = createAgentWorld()
    const page = world.open()
    const { agent } = page
    agent.identify('user')
    agent.register({ plan: 'pro' })
    const ended = agent.shutdown()
    await world.idle()
    await ended
    const stored = async () => [
      world.storage.get('state'),
      world.storage.get('flags'),
      await world.store.disk.read('', '~', 100),
    ]
    const before = await stored()
    world.clock.set(world.clock.now() + 40 * MINUTE)
    const changes: [keyof typeof agent, ...unknown[]][] = [
      ['identify', 'late'],
      ['alias', 'late'],
      ['setPersonProperties', { plan: 'late' }],
      ['createPersonProfile'],
      ['group', 'company', 'late'],
      ['groupIdentify', 'company', 'late'],
      ['reset'],
      ['register', { late: true }],
      ['registerOnce', { late: true }],
      ['unregister', 'plan'],
      ['registerForSession', { late: true }],
      ['setPersonPropertiesForFlags', { late: true }],
      ['resetPersonPropertiesForFlags'],
      ['setGroupPropertiesForFlags', { company: {} }],
      ['resetGroupPropertiesForFlags'],
      ['optIn'],
      ['resetSession'],
    ]
    for (const [verb, ...args] of changes) (agent[verb] as (...args: unknown[]) => void)(...args)
    expect(page.warnings.map(([message]) => message)).toEqual(changes.map(([verb]) => `${verb}() refused: shut down`))
    agent.getSessionId()
    agent.screen('Late')
    agent.getFeatureFlag('beta')
    agent.surveyShown('late')
    await agent.reloadFeatureFlags()
    await world.idle()
    expect(agent.getDistinctId()).toBe('user')
    expect(await stored()).toEqual(before)
    agent.optOut()
    expect(world.open().agent.isOptedOut()).toBe(true)
  })

  it('removes all listeners', async () => {
    const world = createAgentWorld()
    const page = world.open()
    await world.idle()
    expect(page.lifecycle.listening()).toBeGreaterThan(0)
    const ended = page.agent.shutdown()
    await world.idle()
    await ended
    expect(page.lifecycle.listening()).toBe(0)
  })

  it('resolves after its timeout, also with an invalid timeout', async () => {
    const world = createAgentWorld()
    world.service.reply = () => new Promise(() => {})
    const page = world.open()
    page.agent.capture('event')
    await world.idle()
    const ended = page.agent.shutdown({} as never)
    await world.clock.advance(30_000)
    await ended
    expect(page.warnings.flat().join()).toContain('not delivered')
    expect(world.clock.pending()).toBe(0)
  })
})

it('debug() switches debug messages on and off', () => {
  const { agent, debugs } = createAgentWorld().open()
  agent.debug()
  agent.debug(false)
  expect(debugs).toEqual([true, false])
})

describe('with any arguments', () => {
  const verbs = Object.keys(createAgentWorld().open().agent).filter((verb) => verb !== 'shutdown')
  const invalid = oneof(
    anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
    record({ name: anything() }),
    constantFrom<unknown>('user', Symbol('symbol'), 7n, {
      get key(): never {
        throw new Error('getter')
      },
    }),
  )

  it('an agent never throws or rejects, and delivers later events', async () => {
    await assert(
      asyncProperty(
        array(tuple(constantFrom(...verbs), array(invalid, { maxLength: 4 })), { maxLength: 12 }),
        async (calls) => {
          const world = createAgentWorld()
          const page = world.open()
          await world.idle()
          const results = calls.map(([verb, args]) =>
            (page.agent as unknown as Record<string, (...args: unknown[]) => unknown>)[verb]!(...args),
          )
          await world.clock.advance(10_000)
          await Promise.all(results)
          page.agent.optIn()
          page.agent.capture('last')
          expect((await world.deliver(page)).at(-1)?.event).toBe('last')
          const next = world.open()
          next.agent.capture('next page')
          expect((await world.deliver(next)).at(-1)?.event).toBe('next page')
        },
      ),
      { numRuns: 60 },
    )
  })
})
