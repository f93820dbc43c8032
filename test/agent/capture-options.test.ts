import { describe, expect, it } from 'vitest'
import type { BeforeSend, CaptureOptions, Options } from '../../src/entry/index.ts'
import { createAgentHarness } from '../support/agent-harness.ts'
import type { ArrivedEvent } from '../support/agent-harness.ts'

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057'

const captureEvent = async (captureOptions: CaptureOptions, options?: Options): Promise<ArrivedEvent> => {
  const harness = createAgentHarness()
  harness.flags = { beta: true }
  const page = harness.open(options)
  await harness.waitUntilIdle()
  page.agent.capture('event', { own: 1 }, captureOptions)
  return (await harness.deliver(page))[0]!
}

describe('capture()', () => {
  it('gives each event its own uuid v7, also with equal content', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    for (let count = 0; count < 3; count++) page.agent.capture('event', { same: true })
    const uuids = (await harness.deliver(page)).map(({ uuid }) => uuid)
    expect(new Set(uuids).size).toBe(3)
    for (const uuid of uuids) expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  })

  it('makes no flag request', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    await harness.waitUntilIdle()
    page.agent.capture('event', {}, { send_feature_flags: true })
    await harness.deliver(page)
    expect(harness.flagRequests).toHaveLength(1)
  })

  it('ignores options that are null or undefined', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    const nullOptions = {
      timestamp: null,
      uuid: null,
      distinct_id: null,
      disable_geoip: null,
      send_feature_flags: null,
    }
    page.agent.capture('event', {}, nullOptions as never)
    page.agent.capture('event')
    const [first, second] = await harness.deliver(page)
    expect(Object.keys(first!)).toEqual(Object.keys(second!))
    expect(first!.properties).toEqual(second!.properties)
  })
})

/** As `Temporal.Instant`: its conversion to a number throws. */
const instant = {
  valueOf() {
    throw new TypeError('use compare()')
  },
}

it.each([instant, Symbol('x'), 1n, '+010000-01-01T00:00:00Z'])(
  'an unreadable timestamp becomes the time of the call: %s',
  async (timestamp) => {
    const event = await captureEvent({ timestamp: timestamp as never })
    expect(event).toMatchObject({ event: 'event', timestamp: (await captureEvent({})).timestamp })
  },
)

describe('an option of capture()', () => {
  it('timestamp: becomes UTC; properties with a time stay unchanged', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.capture('event', { at: '2025-05-05T05:05:05+02:00' }, { timestamp: '2025-05-05T05:05:05+02:00' })
    expect((await harness.deliver(page))[0]).toMatchObject({
      timestamp: '2025-05-05T03:05:05.000Z',
      properties: { at: '2025-05-05T05:05:05+02:00' },
    })
  })

  it('uuid: is the id of the event if it is valid', async () => {
    expect((await captureEvent({ uuid: UUID })).uuid).toBe(UUID)
    expect((await captureEvent({ uuid: 'order 7' })).uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/)
  })

  it('distinct_id: an event of another user has no profile, unless the caller sets it', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.identify('user')
    page.agent.group('company', 'acme')
    page.agent.capture('own', {}, { distinct_id: 'user' })
    page.agent.capture('other', {}, { distinct_id: 'other' })
    page.agent.capture('known', { $process_person_profile: true }, { distinct_id: 'other' })
    const marks = (await harness.deliver(page))
      .slice(-3)
      .map(({ properties }) => [properties.$is_identified, properties.$process_person_profile, properties.$groups])
    const groups = { company: 'acme' }
    expect(marks).toEqual([
      [true, true, groups],
      [false, false, groups],
      [false, true, groups],
    ])
    const eventWithProfile = await captureEvent({ distinct_id: 'other' }, { personProfiles: 'always' })
    expect(eventWithProfile.properties).toMatchObject({ $is_identified: false, $process_person_profile: true })
  })

  it('distinct_id: sets the event’s user in both places, and keeps the current user', async () => {
    const harness = createAgentHarness()
    const page = harness.open()
    page.agent.capture('event', {}, { distinct_id: 'other' })
    page.agent.capture('event', {}, { distinct_id: ' ' })
    const [first, second] = await harness.deliver(page)
    expect([first!.distinct_id, first!.properties.distinct_id]).toEqual(['other', 'other'])
    expect(second!.distinct_id).toBe(page.agent.getDistinctId())
    page.agent.capture('event', { distinct_id: 'property' })
    const [third] = await harness.deliver(page)
    expect([third!.distinct_id, third!.properties.distinct_id]).toEqual([second!.distinct_id, second!.distinct_id])
  })

  it('disable_geoip: applies to this event only', async () => {
    expect((await captureEvent({ disable_geoip: true })).properties.$geoip_disable).toBe(true)
    expect((await captureEvent({})).properties).not.toHaveProperty('$geoip_disable')
  })

  it('send_feature_flags: false omits the flags', async () => {
    const flagProperties = ['$feature/beta', '$active_feature_flags']
    const propertyNames = async (options: CaptureOptions) => Object.keys((await captureEvent(options)).properties)
    expect(await propertyNames({})).toEqual(expect.arrayContaining(flagProperties))
    expect(await propertyNames({ send_feature_flags: true })).toEqual(expect.arrayContaining(flagProperties))
    const namesWithoutFlags = await propertyNames({ send_feature_flags: false })
    for (const name of flagProperties) expect(namesWithoutFlags).not.toContain(name)
  })
})

describe('before_send', () => {
  const addProperty =
    (name: string): BeforeSend =>
    (event) => ({ ...event, properties: { ...event.properties, [name]: true } })

  it('can be replaced at run time', async () => {
    const harness = createAgentHarness()
    const options: Options = { before_send: addProperty('first') }
    const page = harness.open(options)
    page.agent.capture('one')
    options.before_send = [addProperty('second'), addProperty('third')]
    page.agent.capture('two')
    delete options.before_send
    page.agent.capture('three')
    const events = await harness.deliver(page)
    expect(events.map(({ properties: { first, second, third } }) => [first, second, third])).toEqual([
      [true, undefined, undefined],
      [undefined, true, true],
      [undefined, undefined, undefined],
    ])
  })

  it('that is not a function drops every event, because it was meant to redact', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ before_send: 'redact' as never })
    page.agent.capture('event')
    expect(await harness.deliver(page)).toEqual([])
  })

  it('leaves no trace of a dropped event in queue, flag tracker, session or state', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const options: Options = {}
    const page = harness.open(options)
    page.agent.identify('user')
    await harness.deliver(page)
    const storedState = harness.storage.get('state')
    options.before_send = () => null
    await harness.clock.advance(31 * 60_000)
    const { length } = harness.service.requests
    page.agent.capture('event')
    page.agent.getFeatureFlag('beta')
    expect(await harness.store.disk.keys('e/', 'e0')).toEqual([])
    expect(harness.storage.get('state')).toBe(storedState)
    page.agent.setPersonProperties({ plan: 'pro' })
    delete options.before_send
    expect(await harness.deliver(page)).toEqual([])
    expect(harness.service.requests).toHaveLength(length)
    page.agent.getFeatureFlag('beta')
    page.agent.setPersonProperties({ plan: 'pro' })
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['$feature_flag_called', '$set'])
  })
})
