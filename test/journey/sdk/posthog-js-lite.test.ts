import { afterAll, beforeAll, expect, it } from 'vitest'
import { selectEventRequests, expectNoErrors, describeRequests } from './page-requests.ts'
import { bundlePage } from './bundle-page.ts'
import { EXPECTED_VALUES } from './posthog-journey.ts'
import { openSdkTestBed } from './sdk-test-bed.ts'
import type { SdkTestBed } from './sdk-test-bed.ts'
import { expectFlagsCalled, expectGroup, expectPerson, expectRows } from './expect-stored.ts'

interface Lite {
  on(event: 'error', listener: (error: unknown) => void): unknown
  /** Turns logging on. */
  debug(): void
  capture(event: string, properties?: object): void
  autocapture(event: string, elements: object[]): void
  identify(id: string, properties?: object): void
  alias(alias: string): void
  group(type: string, key: string, properties?: object): void
  reset(): void
  flush(): Promise<unknown>
  reloadFeatureFlagsAsync(): Promise<unknown>
  getFeatureFlag(key: string): unknown
  getFeatureFlagPayload(key: string): unknown
  getDistinctId(): string
  /** Since version 4. */
  getSurveysStateless?(): Promise<{ name: string }[]>
}
declare const PostHog: new (key: string, options: object) => Lite
declare const client: Lite

let bed: SdkTestBed
const scripts = new Map<string, string>()
beforeAll(async () => {
  bed = await openSdkTestBed('node_modules/posthog-js/dist')
  for (const name of ['posthog-js-lite', 'posthog-js-lite-3']) scripts.set(name, await bundlePage(name))
})
afterAll(() => bed?.close())

it.each<[string, string, object, string[]]>([
  ['posthog-js-lite', 'lite-4', {}, ['OPTIONS', 'POST gzip application/json']],
  ['posthog-js-lite', 'lite-4-plain', { disableCompression: true }, ['OPTIONS', 'POST application/json']],
  ['posthog-js-lite-3', 'lite-3', {}, ['OPTIONS', 'POST application/json']],
  ['posthog-js-lite-3', 'lite-3-form', { captureMode: 'form' }, ['POST application/x-www-form-urlencoded']],
])('%s works (%s)', async (name, user, options, eventRequests) => {
  const opened = await bed.open({ script: scripts.get(name)! })
  const { page, host } = opened
  const before = await page.evaluate(
    async ({ key, host, options, user }) => {
      const client = new PostHog(key, { host, ...options })
      client.debug()
      Object.assign(globalThis, { client })
      client.on('error', (error) => console.error('posthog', error))
      await client.reloadFeatureFlagsAsync()
      const values = {
        anonymous: client.getDistinctId(),
        beta: client.getFeatureFlag('beta'),
        button: client.getFeatureFlag('button'),
        payload: client.getFeatureFlagPayload('button'),
        pros: client.getFeatureFlag('pros'),
      }
      client.capture('bought', { item: 'tea', price: 2.5, tags: ['grün', '日本'] })
      client.autocapture('click', [{ tag_name: 'button', $el_text: 'Buy tea', attr__id: 'buy' }])
      client.identify(user, { email: `${user}@example.com`, plan: 'pro' })
      client.alias(`${user}-phone`)
      client.group('company', `acme-${user}`, { seats: 5 })
      await client.flush()
      return values
    },
    { key: bed.service.apiKey, host, options, user },
  )
  expect(before).toEqual({ ...EXPECTED_VALUES.before, anonymous: expect.any(String) })
  await bed.service.settled()
  const after = await page.evaluate(async () => {
    await client.reloadFeatureFlagsAsync()
    return {
      pros: client.getFeatureFlag('pros'),
      big: client.getFeatureFlag('big'),
      surveys: (await client.getSurveysStateless?.())?.map(({ name }) => name),
    }
  })
  expect(after).toEqual({
    pros: true,
    big: true,
    surveys: name === 'posthog-js-lite' ? ['How was it?'] : undefined,
  })
  const next = await page.evaluate(async () => {
    client.reset()
    client.capture('after reset')
    await client.flush()
    return client.getDistinctId()
  })
  await opened.leave()

  await bed.service.settled()
  const called = '$feature_flag_called'
  const rows = await expectRows(bed.service, {
    [before.anonymous]: [called, called, called, 'bought', '$autocapture'],
    [user]: ['$identify', '$create_alias', '$groupidentify', called, called],
    [next]: ['after reset'],
  })
  const rowOf = (event: string) => rows.find((row) => row.event === event)!
  expect(rowOf('bought').properties).toMatchObject({ item: 'tea', price: 2.5, tags: ['grün', '日本'] })
  expect(rowOf('$autocapture').properties).toMatchObject({
    $event_type: 'click',
    $elements: [{ tag_name: 'button', $el_text: 'Buy tea', attr__id: 'buy' }],
  })
  expectFlagsCalled(rows, { beta: true, button: 'blue', pros: [false, true], big: true })
  // Events after group() belong to the group.
  expect(rows.findLast(({ distinctId }) => distinctId === user)!.properties).toMatchObject({
    $groups: { company: `acme-${user}` },
    '$feature/button': 'blue',
  })
  const person = await expectPerson(bed.service, [before.anonymous, user, `${user}-phone`], {
    email: `${user}@example.com`,
    plan: 'pro',
  })
  for (const { distinctId, personId } of rows) expect(personId === person).toBe(distinctId !== next)
  await expectGroup(bed.service, `acme-${user}`, { seats: 5 })
  expectNoErrors(opened)
  expect(selectEventRequests(describeRequests(opened, bed.service.apiKey))).toEqual(eventRequests)
})
