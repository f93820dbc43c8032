import { describe, expect, it } from 'vitest'
import { openServerWorld } from '../../support/node-world.ts'

describe('identify', () => {
  it('"`$identify` per call for the given id with `$set`, no `$anon_distinct_id`"', async () => {
    const { agent, arrived } = openServerWorld()
    agent.identify({ distinctId: 'ada', properties: { plan: 'pro' } })
    agent.identify({ distinctId: 'ada' })
    const [first, second] = await arrived()
    expect(first).toMatchObject({ event: '$identify', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } })
    expect(first!.properties).not.toHaveProperty('$anon_distinct_id')
    expect(first!.properties).not.toHaveProperty('$set_once')
    expect(second!.properties).toMatchObject({ $set: {} })
  })

  it("takes the protocol's own form, and setOnce beside it", async () => {
    const { agent, arrived } = openServerWorld()
    const properties = { $set: { plan: 'pro' }, $set_once: { first: 1 }, mail: 'a@b.c' }
    agent.identify({ distinctId: 'ada', properties, setOnce: { source: 'ad' } })
    const [event] = await arrived()
    expect(event!.properties).toMatchObject({
      $set: { plan: 'pro', mail: 'a@b.c' },
      $set_once: { first: 1, source: 'ad' },
    })
  })

  it.each(['', ' ', undefined, null, {}])('of %j: "nothing changes, nothing sent, warning"', async (distinctId) => {
    const { agent, arrived, warnings } = openServerWorld()
    agent.identify({ distinctId: distinctId as string })
    expect(await arrived()).toEqual([])
    expect(warnings).toEqual([['identify() refused: a distinct id is missing']])
  })

  it("is about the request's user where no other is named", async () => {
    const { agent, arrived } = openServerWorld()
    agent.withContext({ distinctId: 'of request' }, () => {
      agent.identify({ properties: { a: 1 } })
      agent.identify({ distinctId: 'ada' })
    })
    expect((await arrived()).map(({ distinct_id }) => distinct_id)).toEqual(['of request', 'ada'])
  })
})

describe('alias', () => {
  it('"the event\'s distinct_id is the id that is merged away, `properties.alias` becomes the main id"', async () => {
    const { agent, arrived } = openServerWorld()
    agent.alias({ distinctId: 'visitor', alias: 'member' })
    expect(await arrived()).toMatchObject([
      { event: '$create_alias', distinct_id: 'visitor', properties: { alias: 'member', distinct_id: 'visitor' } },
    ])
  })

  it.each([
    [{ distinctId: 'visitor', alias: '' }, 'the alias'],
    [{ distinctId: 'visitor' }, 'the alias'],
    [{ alias: 'member' }, 'a distinct id'],
    [{ distinctId: '', alias: 'member' }, 'a distinct id'],
  ])('%j: "Missing alias or identity: no event, warning"', async (input, missing) => {
    const { agent, arrived, warnings } = openServerWorld()
    agent.alias(input as never)
    expect(await arrived()).toEqual([])
    expect(warnings).toEqual([[`alias() refused: ${missing} is missing`]])
  })
})

describe('groupIdentify', () => {
  it('"Server distinct id default for `$groupidentify`: `$<type>_<key>`"', async () => {
    const { agent, arrived } = openServerWorld()
    agent.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { seats: 5 } })
    const [event] = await arrived()
    expect(event).toMatchObject({
      event: '$groupidentify',
      distinct_id: '$company_acme',
      properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 5 } },
    })
    // It would be dropped for it.
    expect(event!.properties).not.toHaveProperty('$process_person_profile')
  })

  it('is said by whom the caller, or the request, names', async () => {
    const { agent, arrived } = openServerWorld()
    const group = { groupType: 'company', groupKey: 7 }
    agent.groupIdentify({ ...group, distinctId: 'ada' })
    agent.withContext({ distinctId: 'of request' }, () => agent.groupIdentify(group))
    const events = await arrived()
    expect(events.map(({ distinct_id }) => distinct_id)).toEqual(['ada', 'of request'])
    expect(events[0]!.properties).toMatchObject({ $group_key: '7', $group_set: {} })
  })

  it.each([{ groupKey: 'acme' }, { groupType: 'company' }, { groupType: '', groupKey: '' }])(
    '%j: "Missing type or key: no event, no context change, warning"',
    async (input) => {
      const { agent, arrived, warnings } = openServerWorld()
      agent.groupIdentify(input as never)
      expect(await arrived()).toEqual([])
      expect(warnings).toEqual([[expect.stringContaining('groupIdentify() refused')]])
    },
  )
})

it.each(['identify', 'alias', 'groupIdentify', 'capture', 'captureImmediate', 'register'] as const)(
  '%s of nothing at all throws nothing',
  async (verb) => {
    const { agent, arrived } = openServerWorld()
    await (agent[verb] as (input?: unknown) => unknown)()
    await (agent[verb] as (input?: unknown) => unknown)(null)
    expect(await arrived()).toEqual([])
  },
)
