import { anything, array, asyncProperty, assert, constantFrom, oneof, record, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OutgoingEvent } from '../../src/capture/before-send.ts'
import { createAgentHarness } from '../support/agent-harness.ts'
import type { AgentPage } from '../support/agent-harness.ts'

const MINUTE_MS = 60_000

describe('capture', () => {
  it('sends the event with time, session, window and device', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.capture('signed up', { plan: 'pro' })
    page.agent.capture('imported', undefined, { timestamp: new Date('2025-05-05T05:05:05+02:00') })
    const [first, second] = await harness.deliver(page)
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
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.capture('event', null as never, null as never)
    expect(await harness.deliver(page)).toHaveLength(1)
  })

  it.each(['', ' ', undefined, null, 7, {}])('drops an event named %j, with a warning', async (name) => {
    const harness = createAgentHarness()
    const dropped: unknown[] = []
    const page = harness.open({ onDrop: (_event, reason) => dropped.push(reason) })
    page.agent.capture(name as string)
    page.agent.screen(name as string)
    expect(await harness.deliver(page)).toEqual([])
    expect(dropped).toEqual(['invalid_event', 'invalid_event'])
    expect(page.warnings).toHaveLength(1)
    page.agent.capture('event')
    expect((await harness.deliver(page))[0]!.properties).not.toHaveProperty('$screen_name')
  })

  it('passes each event through the hooks in order until one drops it', async () => {
    const harness = createAgentHarness()
    const keptNames: string[] = []
    const dropped: [OutgoingEvent, string][] = []
    const page = harness.open({
      before_send: [
        (event) => ({ ...event, properties: { ...event.properties, first: true } }),
        (event) => {
          if (event.event === 'throw') throw new Error('hook')
          return event.event === 'drop' ? null : event
        },
        (event) => (keptNames.push(event.event), event),
      ],
      onDrop: (event, reason) => dropped.push([event, reason]),
    })
    for (const name of ['keep', 'drop', 'throw']) page.agent.capture(name)
    const events = await harness.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.first])).toEqual([['keep', true]])
    expect(keptNames).toEqual(['keep'])
    expect(dropped.map(([{ event }, reason]) => [event, reason])).toEqual([
      ['drop', 'before_send'],
      ['throw', 'before_send'],
    ])
  })
})

describe('pageview and screen', () => {
  it('capture their events', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.pageview({ title: 'Home' })
    page.autocapture('$pageview', { title: 'Next' })
    const events = await harness.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.title])).toEqual([
      ['$pageview', 'Home'],
      ['$pageview', 'Next'],
    ])
  })

  it('add the screen name to later events of this page only', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.screen('Home', { dark: true })
    page.agent.capture('one')
    page.agent.screen('Basket')
    page.agent.capture('two')
    const events = await harness.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.$screen_name])).toEqual([
      ['$screen', 'Home'],
      ['one', 'Home'],
      ['$screen', 'Basket'],
      ['two', 'Basket'],
    ])
    expect(events[0]!.properties.dark).toBe(true)
    const nextPage = harness.open()
    nextPage.agent.capture('three')
    expect((await harness.deliver(nextPage))[0]!.properties).not.toHaveProperty('$screen_name')
  })
})

describe('consent', () => {
  it('keeps and sends no event while opted out, on this and the next page', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const reasons = new Set<string>()
    const page = harness.open({ onDrop: (_event, reason) => reasons.add(reason) })
    await harness.waitUntilIdle()
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
    const nextPage = harness.open()
    expect(nextPage.agent.isOptedOut()).toBe(true)
    captureAll(nextPage)
    expect(await harness.deliver(page)).toEqual([])
    expect(await harness.deliver(nextPage)).toEqual([])
    expect(harness.service.requests).toEqual([])
    expect([...reasons]).toEqual(['opted_out'])
    // Warns once instead of at each event.
    expect(page.warnings).toHaveLength(1)
  })

  it('delivers events from before the opt-out at once after opting in', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    await harness.waitUntilIdle()
    page.agent.capture('before')
    page.agent.optOut()
    page.agent.capture('meanwhile')
    await harness.clock.advance(10 * MINUTE_MS)
    expect(harness.service.events()).toEqual([])
    page.agent.optIn()
    await harness.waitUntilIdle()
    expect(harness.service.eventNames()).toEqual(['before'])
    page.agent.capture('after')
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['before', 'after'])
  })

  it('loads the flags after opting in', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const page = harness.open({ defaultOptIn: false })
    await harness.waitUntilIdle()
    expect(harness.flagRequests).toEqual([])
    page.agent.optIn()
    await harness.waitUntilIdle()
    expect(page.agent.getFeatureFlag('beta')).toBe(true)
    expect(harness.flagRequests).toHaveLength(1)
  })

  it('uses the consent that another tab has stored, before its storage event', async () => {
    const harness = createAgentHarness()
    const [first, second] = [harness.open().agent, harness.open().agent]
    await harness.waitUntilIdle()
    first.optOut()
    first.optIn()
    first.optOut()
    second.optIn()
    expect(harness.open().agent.isOptedOut()).toBe(false)
    first.optOut()
    expect(harness.open().agent.isOptedOut()).toBe(true)
  })

  it('reports a flag that was read while opted out at its next read', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const page = harness.open()
    await harness.waitUntilIdle()
    page.agent.optOut()
    page.agent.getFeatureFlag('beta')
    page.agent.optIn()
    page.agent.getFeatureFlag('beta')
    page.agent.getFeatureFlag('beta')
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['$feature_flag_called'])
  })

  it('waits for optIn() with defaultOptIn: false, also for later pages', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ defaultOptIn: false })
    page.agent.capture('before')
    expect(page.agent.isOptedOut()).toBe(true)
    page.agent.optIn()
    page.agent.capture('after')
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['after'])
    expect(harness.open({ defaultOptIn: false }).agent.isOptedOut()).toBe(false)
  })

  it('stores nothing with defaultOptIn: false before optIn()', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ defaultOptIn: false })
    page.agent.capture('event')
    page.agent.getSessionId()
    page.agent.getFeatureFlag('beta')
    page.lifecycle.hide()
    page.lifecycle.unload()
    await harness.clock.advance(MINUTE_MS)
    expect(harness.storage.get('state')).toBeNull()
    expect(await harness.store.disk.keys('', '~')).toEqual([])
    expect(harness.open({ defaultOptIn: false }).agent.getDistinctId()).not.toBe(page.agent.getDistinctId())
  })

  it('writes only consent and identity while opted out', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const page = harness.open()
    await harness.waitUntilIdle()
    page.agent.register({ plan: 'free' })
    page.agent.optOut()
    await harness.waitUntilIdle()
    const readStored = async () => [
      harness.storage.get('state'),
      harness.storage.get('flags'),
      await harness.store.disk.read('', '~', 100),
    ]
    const storedBefore = await readStored()
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
    await harness.clock.advance(10 * MINUTE_MS)
    expect(await readStored()).toEqual(storedBefore)
    agent.identify('user')
    await harness.waitUntilIdle()
    expect(harness.open().agent.getDistinctId()).toBe('user')
  })

  it('stores properties that were registered while opted out after opting in', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.optOut()
    page.agent.register({ plan: 'pro' })
    page.agent.optIn()
    const nextPage = harness.open()
    nextPage.agent.capture('event')
    expect((await harness.deliver(nextPage)).at(-1)!.properties.plan).toBe('pro')
  })

  it('forgets user and device with optOut({ clear: true }), but not the opt-out', async () => {
    const harness = createAgentHarness()
    const { agent } = harness.open()
    const deviceId = agent.getDistinctId()
    agent.identify('user')
    agent.register({ plan: 'pro' })
    agent.optOut({ clear: true })
    const nextPage = harness.open()
    expect(nextPage.agent.isOptedOut()).toBe(true)
    nextPage.agent.optIn()
    nextPage.agent.capture('anew')
    const events = await harness.deliver(nextPage)
    const { distinct_id, properties } = events.find(({ event }) => event === 'anew')!
    expect(distinct_id).not.toBe('user')
    expect(properties.$device_id).not.toBe(deviceId)
    expect(properties).not.toHaveProperty('plan')
  })
})

describe('flags', () => {
  it('are added to events, and a read is reported once per value', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true, color: 'blue', off: false }
    const page = harness.open()
    await harness.waitUntilIdle()
    const { agent } = page
    expect([agent.getFeatureFlag('color'), agent.isFeatureEnabled('color')]).toEqual(['blue', true])
    expect(agent.isFeatureEnabled('off', { defaultValue: true })).toBe(false)
    expect(agent.isFeatureEnabled('missing', { defaultValue: true })).toBe(true)
    agent.capture('event')
    const events = await harness.deliver(page)
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
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const page = harness.open()
    await harness.waitUntilIdle()
    const otherTab = harness.open().agent
    await harness.waitUntilIdle()
    const change = async (action: () => void) => {
      action()
      await harness.waitUntilIdle()
      const { length } = harness.flagRequests
      await page.storageChanged()
      expect(page.agent.getDistinctId()).toBe(otherTab.getDistinctId())
      return harness.flagRequests.slice(length)
    }
    expect(await change(() => otherTab.identify('user'))).toMatchObject([{ distinct_id: 'user' }])
    expect(await change(() => otherTab.group('company', 'acme'))).toMatchObject([{ groups: { company: 'acme' } }])
    expect(await change(() => otherTab.register({ plan: 'pro' }))).toEqual([])
    const [request] = await change(() => otherTab.reset())
    expect([request!.distinct_id, request!.groups]).toEqual([otherTab.getDistinctId(), {}])
  })

  it.each([
    ['before the next event, after five seconds', (page: AgentPage) => page.agent.capture('next')],
    ['when the page becomes visible', (page: AgentPage) => page.lifecycle.wake('visible')],
  ])('are those of the new user after a missed reset in another tab: %s', async (_description, action) => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const page = harness.open()
    page.agent.identify('user')
    await harness.waitUntilIdle()
    harness.flags = {}
    const otherTab = harness.open().agent
    otherTab.reset()
    await harness.clock.advance(5_000)
    const { length } = harness.flagRequests
    action(page)
    page.agent.capture('after')
    expect(page.agent.getFeatureFlags()).toEqual({})
    await harness.waitUntilIdle()
    expect(harness.flagRequests.slice(length)).toMatchObject([{ distinct_id: otherTab.getDistinctId() }])
    const laterEvents = (await harness.deliver(page)).filter(({ event }) => /next|after/.test(event))
    expect(new Set(laterEvents.map(({ distinct_id }) => distinct_id))).toEqual(new Set([otherTab.getDistinctId()]))
    expect(laterEvents[0]!.properties).not.toHaveProperty('$feature/beta')
  })

  it('are reloaded when the page becomes visible after a long time', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ flagsIntervalMs: 2 ** 40 })
    await harness.waitUntilIdle()
    harness.clock.set(harness.clock.now() + 2 ** 41)
    page.lifecycle.wake('visible')
    await harness.waitUntilIdle()
    expect(harness.flagRequests).toHaveLength(2)
  })
})

describe('surveys', () => {
  it('are events with person properties', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.surveyShown('s')
    page.agent.surveySent('s', 'Great')
    page.agent.surveyDismissed('s')
    const events = await harness.deliver(page)
    expect(events.map(({ event, properties }) => [event, properties.$survey_id, properties.$set])).toEqual([
      ['survey shown', 's', { $survey_last_seen_date: '2026-01-01T00:00:00.000Z' }],
      ['survey sent', 's', { '$survey_responded/s': true }],
      ['survey dismissed', 's', { '$survey_dismissed/s': true }],
    ])
    expect(events[1]!.properties.$survey_response).toBe('Great')
  })

  it('are refused with a warning without a valid id', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.surveyShown('')
    page.agent.surveySent(undefined as never, 'Great')
    page.agent.surveyDismissed(Number.NaN as never)
    expect(await harness.deliver(page)).toEqual([])
    expect(page.warnings.map(([message]) => message)).toEqual(
      ['Shown', 'Sent', 'Dismissed'].map((verb) => `survey${verb}() refused: invalid id`),
    )
  })
})

describe('the session', () => {
  it('continues with activity, and is a new one after 30 minutes of inactivity', async () => {
    const harness = createAgentHarness()
    const { agent } = harness.open({ preloadFeatureFlags: false })
    const id = agent.getSessionId()
    await harness.clock.advance(29 * MINUTE_MS)
    expect(agent.getSessionId()).toBe(id)
    agent.capture('active')
    await harness.clock.advance(29 * MINUTE_MS)
    expect(agent.getSessionId()).toBe(id)
    await harness.clock.advance(30 * MINUTE_MS)
    const secondId = agent.getSessionId()
    expect(secondId).not.toBe(id)
    expect(agent.getSessionId()).toBe(secondId)
  })
})

describe('ids that programs send by mistake', () => {
  it('are refused by identify, alias and group, with a warning each', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.identify('null')
    page.agent.alias('[object Object]')
    page.agent.group('company', 'undefined')
    expect(await harness.deliver(page)).toEqual([])
    expect(page.agent.getDistinctId()).toBe(page.agent.getAnonymousId())
    expect(page.warnings.map(([message]) => message)).toEqual(
      ['identify', 'alias', 'group'].map((verb) => `${verb}() refused: invalid id`),
    )
  })
})

describe('shutdown', () => {
  it('delivers waiting events, refuses later ones and leaves no timer', async () => {
    const harness = createAgentHarness()
    const dropped: string[] = []
    const page = harness.open({ onDrop: ({ event }, reason) => dropped.push(`${event}: ${reason}`) })
    await harness.waitUntilIdle()
    page.agent.capture('before')
    const shutdownResult = page.agent.shutdown()
    expect(page.shutdowns.count).toBe(1)
    expect(page.agent.shutdown()).toBe(shutdownResult)
    page.agent.capture('after')
    page.autocapture('$pageview')
    await harness.waitUntilIdle()
    await shutdownResult
    expect(harness.service.eventNames()).toEqual(['before'])
    expect(dropped).toEqual(['after: shut_down'])
    expect([harness.clock.pending(), page.lifecycle.listenerCount()]).toEqual([0, 0])
    expect(page.shutdowns.count).toBe(1)
  })

  it('leaves the stored data unchanged and refuses later changes', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    const { agent } = page
    agent.identify('user')
    agent.register({ plan: 'pro' })
    const shutdownResult = agent.shutdown()
    await harness.waitUntilIdle()
    await shutdownResult
    const readStored = async () => [
      harness.storage.get('state'),
      harness.storage.get('flags'),
      await harness.store.disk.read('', '~', 100),
    ]
    const storedBefore = await readStored()
    harness.clock.set(harness.clock.now() + 40 * MINUTE_MS)
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
    await harness.waitUntilIdle()
    expect(agent.getDistinctId()).toBe('user')
    expect(await readStored()).toEqual(storedBefore)
    agent.optOut()
    expect(harness.open().agent.isOptedOut()).toBe(true)
  })

  it('removes all listeners', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    await harness.waitUntilIdle()
    expect(page.lifecycle.listenerCount()).toBeGreaterThan(0)
    const shutdownResult = page.agent.shutdown()
    await harness.waitUntilIdle()
    await shutdownResult
    expect(page.lifecycle.listenerCount()).toBe(0)
  })

  it('resolves after its timeout, also with an invalid timeout', async () => {
    const harness = createAgentHarness()
    harness.service.reply = () => new Promise(() => {})
    const page = harness.open()
    page.agent.capture('event')
    await harness.waitUntilIdle()
    const shutdownResult = page.agent.shutdown({} as never)
    await harness.clock.advance(30_000)
    await shutdownResult
    expect(page.warnings.flat().join()).toContain('not delivered')
    expect(harness.clock.pending()).toBe(0)
  })
})

it('debug() switches debug messages on and off', () => {
  const { agent, setDebugCalls } = createAgentHarness().open()
  agent.debug()
  agent.debug(false)
  expect(setDebugCalls).toEqual([true, false])
})

describe('with any arguments', () => {
  const verbs = Object.keys(createAgentHarness().open().agent).filter((verb) => verb !== 'shutdown')
  const anyArgument = oneof(
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
        array(tuple(constantFrom(...verbs), array(anyArgument, { maxLength: 4 })), { maxLength: 12 }),
        async (calls) => {
          const harness = createAgentHarness()
          const page = harness.open()
          await harness.waitUntilIdle()
          const results = calls.map(([verb, args]) =>
            (page.agent as unknown as Record<string, (...args: unknown[]) => unknown>)[verb]!(...args),
          )
          await harness.clock.advance(10_000)
          await Promise.all(results)
          page.agent.optIn()
          page.agent.capture('last')
          expect((await harness.deliver(page)).at(-1)?.event).toBe('last')
          const nextPage = harness.open()
          nextPage.agent.capture('next page')
          expect((await harness.deliver(nextPage)).at(-1)?.event).toBe('next page')
        },
      ),
      { numRuns: 60 },
    )
  })
})
