// oxlint-disable no-extend-native -- as foreign code on a page does; undone after each test
import { afterEach, describe, expect, it } from 'vitest'
import { createAgentHarness } from '../support/agent-harness.ts'
import { createNodeAgentHarness } from '../support/node-agent-harness.ts'

const prototype = Object.prototype as unknown as Record<string, unknown>
const descriptor = Object.getOwnPropertyDescriptor(Object.prototype, 'constructor')!

/** What old libraries add to all objects. */
const MEMBERS: readonly (readonly [string, unknown])[] = [
  ['a method', function clone() {}],
  ['a value', true],
  ['an object', { deep: {} }],
  ['null', null],
]

afterEach(() => {
  delete prototype['extended']
  Object.defineProperty(Object.prototype, 'constructor', descriptor)
})

describe.each(MEMBERS)('beside %s in Object.prototype', (_, member) => {
  it('the browser agent captures, identifies and reads flags as elsewhere', async () => {
    prototype['extended'] = member
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const page = harness.open({ maxQueueSize: 500 })
    await harness.waitUntilIdle()
    const { agent } = page
    agent.identify('user', { plan: 'pro' }, { source: 'ad' })
    agent.group('company', 'acme', { seats: 5 })
    agent.setGroupPropertiesForFlags({ company: { seats: 6 } })
    agent.register({ theme: 'dark' })
    agent.capture('bought', { item: 'tea', long: 'x'.repeat(20_000), nested: { a: [{ b: 1 }] } })
    await harness.waitUntilIdle()
    expect(agent.getFeatureFlags()).toEqual({ beta: true })
    const events = await harness.deliver(page)
    expect(events.map(({ event }) => event)).toEqual(['$identify', '$groupidentify', 'bought'])
    expect(events[2]!.properties).toMatchObject({
      item: 'tea',
      theme: 'dark',
      nested: { a: [{ b: 1 }] },
      '$feature/beta': true,
    })
    expect(Object.keys(events[2]!.properties).filter((name) => name.includes('extended'))).toEqual([])
    expect(JSON.stringify(harness.flagRequests)).not.toContain('extended')
    expect(page.warnings).toEqual([])
    await agent.shutdown(0)
  })

  it('the Node agent captures as elsewhere', async () => {
    prototype['extended'] = member
    const { agent, flushAndTakeEvents, warnings } = createNodeAgentHarness()
    agent.capture({ distinctId: 'ada', event: 'bought', properties: { item: 'tea', nested: { a: [{ b: 1 }] } } })
    agent.identify({ distinctId: 'ada', properties: { plan: 'pro' } })
    const [first, second] = await flushAndTakeEvents()
    expect(first!.properties).toMatchObject({ item: 'tea', nested: { a: [{ b: 1 }] } })
    expect(second!.properties).toMatchObject({ $set: { plan: 'pro' } })
    expect(warnings).toEqual([])
  })
})

describe('where the members of Object.prototype are read-only, as after Object.freeze', () => {
  const freeze = () => Object.defineProperty(Object.prototype, 'constructor', { ...descriptor, writable: false })

  it('the browser agent keeps properties, groups and flags named constructor', async () => {
    freeze()
    const harness = createAgentHarness()
    harness.flags = { constructor: true }
    const page = harness.open({ before_send: (event) => event })
    await harness.waitUntilIdle()
    const { agent } = page
    agent.register({ constructor: 'Lotus' })
    agent.group('constructor', 'acme', { seats: 5 })
    agent.capture('raced', { constructor: 'Ferrari' })
    await harness.waitUntilIdle()
    expect(Object.entries(agent.getFeatureFlags())).toEqual([['constructor', true]])
    const [group, raced] = await harness.deliver(page)
    expect([group!.event, group!.properties.constructor]).toEqual(['$groupidentify', 'Lotus'])
    expect(raced!.properties.constructor).toBe('Ferrari')
    expect(page.warnings).toEqual([])
    await agent.shutdown(0)
  })

  it('the Node agent keeps a property and a group type named constructor', async () => {
    freeze()
    const { agent, flushAndTakeEvents, warnings } = createNodeAgentHarness({ before_send: (event) => event })
    agent.capture({
      distinctId: 'ada',
      event: 'raced',
      properties: { constructor: 'Ferrari' },
      groups: { constructor: 'acme' },
    })
    const [event] = await flushAndTakeEvents()
    expect(event!.properties.constructor).toBe('Ferrari')
    expect(Object.entries(event!.properties['$groups'] as object)).toEqual([['constructor', 'acme']])
    expect(warnings).toEqual([])
  })
})
