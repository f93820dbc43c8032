import { afterAll, beforeAll, expect, it } from 'vitest'
import { selectEventRequests, expectNoErrors, describeRequests } from './page-requests.ts'
import { bundlePage } from './bundle-page.ts'
import { EXPECTED_VALUES } from './posthog-journey.ts'
import { openSdkTestBed } from './sdk-test-bed.ts'
import type { SdkTestBed } from './sdk-test-bed.ts'
import { expectFlagsCalled, expectGroup, expectPerson, expectRows } from './expect-stored.ts'

interface PostHogLite {
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
declare const PostHog: new (key: string, options: object) => PostHogLite
declare const client: PostHogLite

let testBed: SdkTestBed
const scripts = new Map<string, string>()
beforeAll(async () => {
  testBed = await openSdkTestBed('node_modules/posthog-js/dist')
  for (const name of ['posthog-js-lite', 'posthog-js-lite-3']) scripts.set(name, await bundlePage(name))
})
afterAll(() => testBed?.close())

it.each<[string, string, object, string[]]>([
  ['posthog-js-lite', 'lite-4', {}, ['OPTIONS', 'POST gzip application/json']],
  ['posthog-js-lite', 'lite-4-plain', { disableCompression: true }, ['OPTIONS', 'POST application/json']],
  ['posthog-js-lite-3', 'lite-3', {}, ['OPTIONS', 'POST application/json']],
  ['posthog-js-lite-3', 'lite-3-form', { captureMode: 'form' }, ['POST application/x-www-form-urlencoded']],
])('%s works (%s)', async (name, user, options, eventRequests) => {
  const sdkPage = await testBed.open({ script: scripts.get(name)! })
  const { page, host } = sdkPage
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
    { key: testBed.service.apiKey, host, options, user },
  )
  expect(before).toEqual({ ...EXPECTED_VALUES.before, anonymous: expect.any(String) })
  await testBed.service.settled()
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
  const idAfterReset = await page.evaluate(async () => {
    client.reset()
    client.capture('after reset')
    await client.flush()
    return client.getDistinctId()
  })
  await sdkPage.leave()

  await testBed.service.settled()
  const flagCall = '$feature_flag_called'
  const rows = await expectRows(testBed.service, {
    [before.anonymous]: [flagCall, flagCall, flagCall, 'bought', '$autocapture'],
    [user]: ['$identify', '$create_alias', '$groupidentify', flagCall, flagCall],
    [idAfterReset]: ['after reset'],
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
  const person = await expectPerson(testBed.service, [before.anonymous, user, `${user}-phone`], {
    email: `${user}@example.com`,
    plan: 'pro',
  })
  for (const { distinctId, personId } of rows) expect(personId === person).toBe(distinctId !== idAfterReset)
  await expectGroup(testBed.service, `acme-${user}`, { seats: 5 })
  expectNoErrors(sdkPage)
  expect(selectEventRequests(describeRequests(sdkPage, testBed.service.apiKey))).toEqual(eventRequests)
})
