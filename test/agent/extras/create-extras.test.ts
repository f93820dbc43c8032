import { describe, expect, it } from 'vitest'
import type { ExtraOptions } from '../../../src/agent/extras/extra-options.ts'
import type { Options } from '../../../src/agent/options.ts'
import { createAgentHarness } from '../../support/agent-harness.ts'
import { openExtended } from '../../support/extended-page.ts'

describe('on', () => {
  it('tells of captured events until unsubscribed, with copies', async () => {
    const harness = createAgentHarness()
    const page = openExtended(harness, { before_send: (event) => ({ ...event, event: event.event.toUpperCase() }) })
    const told: unknown[] = []
    const stop = page.agent.on('capture', (event) => {
      told.push([event.event, event.properties['plan']])
      event.properties['plan'] = 'changed'
      page.agent.capture('from a listener')
    })
    page.agent.capture('a', { plan: 'pro' })
    stop()
    page.agent.capture('b')
    expect(told).toEqual([['A', 'pro']])
    const events = await harness.deliver(page)
    expect(events.map(({ event }) => event).sort()).toEqual(['A', 'B', 'FROM A LISTENER'])
    expect(events.find(({ event }) => event === 'A')!.properties['plan']).toBe('pro')
  })

  it('tells of drops and loads of flags, beside the options', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const dropped: unknown[] = []
    const told: unknown[] = []
    const page = openExtended(harness, { onDrop: ({ event }, reason) => dropped.push([event, reason]) })
    page.agent.on('drop', ({ event }, reason) => told.push([event, reason]))
    page.agent.on('flags', (flags) => told.push(flags))
    await harness.waitUntilIdle()
    page.agent.capture('')
    expect(dropped).toEqual([['', 'invalid_event']])
    expect(told).toEqual([{ beta: true }, ['', 'invalid_event']])
  })

  it('contains exceptions of listeners, and refuses unknown topics', async () => {
    const harness = createAgentHarness()
    const page = openExtended(harness)
    const error = new Error('listener')
    page.agent.on('capture', () => {
      throw error
    })
    page.agent.on('other' as 'drop', () => {})()
    page.agent.capture('event')
    expect(await harness.deliver(page)).toHaveLength(1)
    expect(page.extraWarnings).toEqual([['on() refused: unknown topic "other"'], ['listener failed:', error]])
  })
})

describe('onSessionId', () => {
  it('tells of the current session, and of a later one with its first event', async () => {
    const harness = createAgentHarness()
    const page = openExtended(harness)
    const told: string[] = []
    const stop = page.agent.onSessionId((id) => told.push(id))
    const first = page.agent.getSessionId()
    page.agent.capture('a')
    expect(told).toEqual([first])
    await harness.clock.advance(31 * 60_000)
    page.agent.capture('b')
    const second = page.agent.getSessionId()
    expect(second).not.toBe(first)
    expect(told).toEqual([first, second])
    stop()
    page.agent.resetSession()
    page.agent.capture('c')
    expect(told).toHaveLength(2)
  })
})

describe('unregisterForSession', () => {
  it('removes a property of the session', async () => {
    const harness = createAgentHarness()
    const page = openExtended(harness)
    page.agent.registerForSession({ a: 1, b: 2 })
    page.agent.unregisterForSession('a')
    page.agent.capture('event')
    const [event] = await harness.deliver(page)
    expect(event!.properties).toMatchObject({ b: 2 })
    expect(event!.properties).not.toHaveProperty('a')
  })
})

describe('loaded', () => {
  it('is called with the agent before its first event', async () => {
    const harness = createAgentHarness()
    const page = openExtended(harness, {
      loaded(agent) {
        agent.register({ groups: Object.keys(agent.getGroups()).length })
      },
    })
    page.autocapture('$pageview')
    expect((await harness.deliver(page))[0]!.properties).toMatchObject({ groups: 0 })
  })

  it('contains an exception', async () => {
    const harness = createAgentHarness()
    const error = new Error('loaded')
    const page = openExtended(harness, {
      loaded() {
        throw error
      },
    })
    page.agent.capture('event')
    expect(await harness.deliver(page)).toHaveLength(1)
    expect(page.extraWarnings).toEqual([['loaded failed:', error]])
  })
})

describe('masks', () => {
  it('apply after before_send, to what is sent and told', async () => {
    const harness = createAgentHarness()
    const options: Options & ExtraOptions = { maskProperties: ['email'], before_send: (event) => event }
    const page = openExtended(harness, options)
    const told: unknown[] = []
    page.agent.on('capture', ({ properties }) => told.push(properties['email']))
    options.before_send = (event) => ({ ...event, properties: { ...event.properties, email: 'a@b.c' } })
    page.agent.identify('user-1', { email: 'a@b.c', plan: 'pro' })
    const [event] = await harness.deliver(page)
    expect(event!.properties).toMatchObject({ email: '***', $set: { email: '***', plan: 'pro' } })
    expect(told).toEqual(['***'])
  })
})
