import { describe, expect, it } from 'vitest'
import { createNodeAgentHarness } from '../../support/node-agent-harness.ts'

describe('capture', () => {
  it('understands distinct_id, with one warning', async () => {
    const { agent, flushAndTakeEvents, warnings } = createNodeAgentHarness()
    for (const event of ['a', 'b']) agent.capture({ event, distinct_id: 'ada' } as { event: string })
    expect((await flushAndTakeEvents()).map(({ distinct_id }) => distinct_id)).toEqual(['ada', 'ada'])
    expect(warnings).toEqual([['distinct_id is spelt distinctId here:', 'a']])
  })
})

describe('setPersonProperties', () => {
  it('captures $set for each call, with the same input as identify', async () => {
    const { agent, flushAndTakeEvents } = createNodeAgentHarness()
    agent.setPersonProperties({ distinctId: 'ada', properties: { plan: 'pro' }, setOnce: { source: 'ad' } })
    agent.withContext({ distinctId: 'context-user' }, () =>
      agent.setPersonProperties({ properties: { $set: { a: 1 } } }),
    )
    const [first, second] = await flushAndTakeEvents()
    expect(first).toMatchObject({
      event: '$set',
      distinct_id: 'ada',
      properties: { $set: { plan: 'pro' }, $set_once: { source: 'ad' } },
    })
    expect(second).toMatchObject({ event: '$set', distinct_id: 'context-user', properties: { $set: { a: 1 } } })
  })

  it('refuses an invalid id with a warning', async () => {
    const { agent, flushAndTakeEvents, warnings } = createNodeAgentHarness()
    agent.setPersonProperties({ distinctId: 'null', properties: { plan: 'pro' } })
    expect(await flushAndTakeEvents()).toEqual([])
    expect(warnings).toEqual([['setPersonProperties() refused: "distinctId" is missing or invalid']])
  })
})

describe('identify', () => {
  it('captures $identify with $set for each call', async () => {
    const { agent, flushAndTakeEvents } = createNodeAgentHarness()
    agent.identify({ distinctId: 'ada', properties: { plan: 'pro' } })
    agent.identify({ distinctId: 'ada' })
    const [first, second] = await flushAndTakeEvents()
    expect(first).toMatchObject({ event: '$identify', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } })
    expect(first!.properties).not.toHaveProperty('$anon_distinct_id')
    expect(first!.properties).not.toHaveProperty('$set_once')
    expect(second!.properties).toMatchObject({ $set: {} })
  })

  it('accepts $set and $set_once in the properties, together with setOnce', async () => {
    const { agent, flushAndTakeEvents } = createNodeAgentHarness()
    const properties = { $set: { plan: 'pro' }, $set_once: { first: 1 }, mail: 'a@b.c' }
    agent.identify({ distinctId: 'ada', properties, setOnce: { source: 'ad' } })
    const [event] = await flushAndTakeEvents()
    expect(event!.properties).toMatchObject({
      $set: { plan: 'pro', mail: 'a@b.c' },
      $set_once: { first: 1, source: 'ad' },
    })
  })

  it.each(['', ' ', 'null', 'NaN', '[object Object]', 0, undefined, null, {}])(
    'captures nothing for the id %j, and warns',
    async (distinctId) => {
      const { agent, flushAndTakeEvents, warnings } = createNodeAgentHarness()
      agent.identify({ distinctId: distinctId as string })
      expect(await flushAndTakeEvents()).toEqual([])
      expect(warnings).toEqual([['identify() refused: "distinctId" is missing or invalid']])
    },
  )

  it("defaults to the request context's distinct id", async () => {
    const { agent, flushAndTakeEvents } = createNodeAgentHarness()
    agent.withContext({ distinctId: 'context-user' }, () => {
      agent.identify({ properties: { a: 1 } })
      agent.identify({ distinctId: 'ada' })
    })
    expect((await flushAndTakeEvents()).map(({ distinct_id }) => distinct_id)).toEqual(['context-user', 'ada'])
  })
})

describe('alias', () => {
  it('captures $create_alias with the merged id, and the main id as alias', async () => {
    const { agent, flushAndTakeEvents } = createNodeAgentHarness()
    agent.alias({ distinctId: 'visitor', alias: 'member' })
    expect(await flushAndTakeEvents()).toMatchObject([
      { event: '$create_alias', distinct_id: 'visitor', properties: { alias: 'member', distinct_id: 'visitor' } },
    ])
  })

  it.each([
    [{ distinctId: 'visitor', alias: '' }, 'alias'],
    [{ distinctId: 'visitor' }, 'alias'],
    [{ alias: 'member' }, 'distinctId'],
    [{ distinctId: '', alias: 'member' }, 'distinctId'],
  ])('captures nothing for %j, and warns', async (input, field) => {
    const { agent, flushAndTakeEvents, warnings } = createNodeAgentHarness()
    agent.alias(input as never)
    expect(await flushAndTakeEvents()).toEqual([])
    expect(warnings).toEqual([[`alias() refused: "${field}" is missing or invalid`]])
  })
})

describe('groupIdentify', () => {
  it('captures $groupidentify with $<type>_<key> as its distinct id', async () => {
    const { agent, flushAndTakeEvents } = createNodeAgentHarness()
    agent.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { seats: 5 } })
    const [event] = await flushAndTakeEvents()
    expect(event).toMatchObject({
      event: '$groupidentify',
      distinct_id: '$company_acme',
      properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } },
    })
    // The service would drop the event because of this property.
    expect(event!.properties).not.toHaveProperty('$process_person_profile')
  })

  it("uses the caller's distinct id, or the request context's", async () => {
    const { agent, flushAndTakeEvents } = createNodeAgentHarness()
    const group = { groupType: 'company', groupKey: 7 }
    agent.groupIdentify({ ...group, distinctId: 'ada' })
    agent.withContext({ distinctId: 'context-user' }, () => agent.groupIdentify(group))
    const events = await flushAndTakeEvents()
    expect(events.map(({ distinct_id }) => distinct_id)).toEqual(['ada', 'context-user'])
    expect(events[0]!.properties).toMatchObject({ $group_key: '7', $group_set: {} })
  })

  it.each([{ groupKey: 'acme' }, { groupType: 'company' }, { groupType: '', groupKey: '' }])(
    'captures nothing for %j, and warns of the missing field',
    async (input) => {
      const { agent, flushAndTakeEvents, warnings } = createNodeAgentHarness()
      agent.groupIdentify(input as never)
      expect(await flushAndTakeEvents()).toEqual([])
      expect(warnings).toEqual([[expect.stringContaining('groupIdentify() refused')]])
    },
  )
})

it.each(['identify', 'alias', 'groupIdentify', 'capture', 'captureImmediate', 'register'] as const)(
  '%s() without an argument captures nothing and does not throw',
  async (verb) => {
    const { agent, flushAndTakeEvents } = createNodeAgentHarness()
    await (agent[verb] as (input?: unknown) => unknown)()
    await (agent[verb] as (input?: unknown) => unknown)(null)
    expect(await flushAndTakeEvents()).toEqual([])
  },
)
