import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventForms, expectNoComplaint, formsOf } from './asked.ts'
import { bundlePage } from './bundle-page.ts'
import { TOLD } from './posthog-journey.ts'
import { openSdkBed } from './sdk-bed.ts'
import type { SdkBed } from './sdk-bed.ts'
import { expectCalled, expectGroup, expectPerson, expectRows } from './stored.ts'

interface Lite {
  on(event: 'error', listener: (error: unknown) => void): unknown
  /** Has the package log what it does. */
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
  /** Since 4. */
  getSurveysStateless?(): Promise<{ name: string }[]>
}
declare const PostHog: new (key: string, options: object) => Lite
declare const client: Lite

let bed: SdkBed
const scripts = new Map<string, string>()
beforeAll(async () => {
  bed = await openSdkBed('node_modules/posthog-js/dist')
  for (const name of ['posthog-js-lite', 'posthog-js-lite-3']) scripts.set(name, await bundlePage(name))
})
afterAll(() => bed?.close())

it.each<[string, string, object, string[]]>([
  ['posthog-js-lite', 'lite-4', {}, ['OPTIONS', 'POST gzip application/json']],
  ['posthog-js-lite', 'lite-4-plain', { disableCompression: true }, ['OPTIONS', 'POST application/json']],
  ['posthog-js-lite-3', 'lite-3', {}, ['OPTIONS', 'POST application/json']],
  ['posthog-js-lite-3', 'lite-3-form', { captureMode: 'form' }, ['POST application/x-www-form-urlencoded']],
])('%s works as it does with its own service: %s', async (name, user, options, forms) => {
  const opened = await bed.open({ script: scripts.get(name)! })
  const { page, host } = opened
  const before = await page.evaluate(
    async ({ key, host, options, user }) => {
      const client = new PostHog(key, { host, ...options })
      client.debug()
      Object.assign(globalThis, { client })
      client.on('error', (error) => console.error('posthog', error))
      await client.reloadFeatureFlagsAsync()
      const told = {
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
      return told
    },
    { key: bed.service.apiKey, host, options, user },
  )
  expect(before).toEqual({ ...TOLD.before, anonymous: expect.any(String) })
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
  expectCalled(rows, { beta: true, button: 'blue', pros: [false, true], big: true })
  // What follows the group is of it.
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
  expectNoComplaint(opened)
  expect(eventForms(formsOf(opened, bed.service.apiKey))).toEqual(forms)
})
