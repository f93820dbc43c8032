import { describe, expect, it } from 'vitest'
import type { Id } from '../../src/wire/id-to-string.ts'
import { createAgentHarness } from '../support/agent-harness.ts'
import { createNodeAgentHarness } from '../support/node-agent-harness.ts'

/** Ids as databases have them; the BigInt is beyond the numbers that JSON parsers keep. */
const IDS: readonly (readonly [id: Id, string])[] = [
  [42, '42'],
  [9_007_199_254_740_993n, '9007199254740993'],
]

describe.each(IDS)('the id %s of a page', (id, string) => {
  it('names a user', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.identify(id)
    page.agent.capture('bought')
    expect(page.agent.getDistinctId()).toBe(string)
    expect((await harness.deliver(page)).map(({ distinct_id }) => distinct_id)).toEqual([string, string])
    expect(page.warnings).toEqual([])
  })

  it('is the same user as its string', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.identify(string)
    page.agent.identify(id)
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['$identify'])
  })

  it('names an alias, a group and the user of one event', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.alias(id)
    page.agent.group('company', id, { seats: 5 })
    page.agent.groupIdentify('team', id)
    page.agent.capture('seen', {}, { distinct_id: id })
    const [alias, company, team, seen] = await harness.deliver(page)
    expect(alias!.properties).toMatchObject({ alias: string })
    expect(company!.properties).toMatchObject({ $group_key: string, $groups: { company: string } })
    expect(team!.properties).toMatchObject({ $group_key: string })
    expect(seen).toMatchObject({ distinct_id: string, properties: { distinct_id: string } })
    expect(page.warnings).toEqual([])
  })

  it('identifies the user of the bootstrap, at each load without a warning', () => {
    const harness = createAgentHarness()
    const bootstrap = { distinctId: id, isIdentifiedId: true }
    const pages = [harness.open(), harness.open({ bootstrap }), harness.open({ bootstrap })]
    expect(pages.slice(1).map(({ agent }) => agent.getDistinctId())).toEqual([string, string])
    expect(pages.flatMap(({ warnings }) => warnings)).toEqual([])
  })

  it('may come from before_send', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ before_send: (event) => ({ ...event, distinct_id: id as never }) })
    page.agent.capture('seen')
    expect(await harness.deliver(page)).toMatchObject([{ distinct_id: string, properties: { distinct_id: string } }])
  })
})

describe.each(IDS)('the id %s in Node', (id, string) => {
  it('names the user of events, persons, aliases and groups', async () => {
    const { agent, flushAndTakeEvents, warnings } = createNodeAgentHarness()
    agent.capture({ event: 'bought', distinctId: id, groups: { company: id } })
    agent.withContext({ distinctId: id }, () => agent.capture({ event: 'seen' }))
    agent.identify({ distinctId: id })
    agent.alias({ distinctId: 'ada', alias: id })
    agent.groupIdentify({ groupType: 'company', groupKey: id })
    const [bought, seen, identify, alias, group] = await flushAndTakeEvents()
    expect([bought, seen, identify].map((event) => event!.distinct_id)).toEqual([string, string, string])
    expect(bought!.properties).toMatchObject({ $groups: { company: string } })
    expect(alias!.properties).toMatchObject({ alias: string })
    expect(group!.properties).toMatchObject({ $group_key: string })
    expect(warnings).toEqual([])
  })

  it('names the user and the groups of flags', async () => {
    const { agent, requests } = createNodeAgentHarness()
    await agent.getFeatureFlag('beta', id, { groups: { company: id, team: undefined, site: null } })
    expect(JSON.parse(String(requests[0]!.body))).toMatchObject({ distinct_id: string, groups: { company: string } })
    expect(String(requests[0]!.body)).not.toMatch(/team|site/)
  })
})

describe('a group without a key', () => {
  it.each([undefined, null, '', Number.NaN, {}])('in Node is left out: %j', async (key) => {
    const { agent, flushAndTakeEvents } = createNodeAgentHarness()
    agent.capture({ event: 'a', distinctId: 'ada', groups: { company: 7, team: key as never } })
    agent.capture({ event: 'b', distinctId: 'ada', groups: { team: key as never } })
    const [first, second] = await flushAndTakeEvents()
    expect(first!.properties['$groups']).toEqual({ company: '7' })
    expect(second!.properties).not.toHaveProperty('$groups')
  })

  it.each([undefined, null, '', Number.NaN, {}])('in a page is refused: %j', async (key) => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.group('team', key as never)
    expect(page.warnings).toEqual([['group() refused: invalid id']])
    expect(await harness.deliver(page)).toEqual([])
  })
})
