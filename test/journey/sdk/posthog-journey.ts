import { expect } from 'vitest'
import type { RunningService } from '../../support/service.ts'
import { expectNoErrors, waitUntilSent } from './page-requests.ts'
import type { SdkPage } from './sdk-test-bed.ts'
import { expectFlagsCalled, expectGroup, expectPerson, expectRows } from './expect-stored.ts'

/** The methods of posthog-js that pages call, in any version. */
export interface PostHog {
  init(key: string, options: object): unknown
  capture(event: string, properties?: object): unknown
  identify(id: string, set?: object, setOnce?: object): void
  setPersonProperties(set: object, setOnce?: object): void
  alias(alias: string): unknown
  group(type: string, key: string, properties?: object): void
  reset(): void
  get_distinct_id(): string
  onFeatureFlags(callback: () => void): unknown
  getFeatureFlag(key: string, options?: { send_event: boolean }): unknown
  getFeatureFlagPayload(key: string): unknown
  getSurveys(callback: (surveys: { name: string }[]) => void, forceReload?: boolean): void
  getActiveMatchingSurveys(callback: (surveys: { name: string }[]) => void, forceReload?: boolean): void
  getEarlyAccessFeatures(callback: (features: { flagKey: string }[]) => void, forceReload?: boolean): void
  updateEarlyAccessFeatureEnrollment(key: string, isEnrolled: boolean): void
}

declare const posthog: PostHog

/** Resolves when the page has loaded its flags for the first time. */
const waitForFlags = (page: SdkPage['page']): Promise<void> =>
  page.evaluate(() => new Promise<void>((resolve) => void posthog.onFeatureFlags(() => resolve())))

/**
 * Uses all features of the service as one visitor, and then as another one on the same device.
 *
 * @param initSdk Loads and initialises the SDK.
 * @returns The values that the page has read.
 */
export const runVisit = async (sdkPage: SdkPage, user: string, initSdk: () => Promise<unknown>) => {
  const { page } = sdkPage
  await initSdk()
  await waitForFlags(page)
  const before = await page.evaluate((user) => {
    const values = {
      anonymous: posthog.get_distinct_id(),
      beta: posthog.getFeatureFlag('beta'),
      button: posthog.getFeatureFlag('button'),
      payload: posthog.getFeatureFlagPayload('button'),
      pros: posthog.getFeatureFlag('pros'),
    }
    posthog.capture('bought', { item: 'tea', price: 2.5, tags: ['grün', '日本'] })
    posthog.identify(user, { email: `${user}@example.com` }, { first_seen: 'today' })
    posthog.setPersonProperties({ plan: 'pro' }, { source: 'ad' })
    posthog.alias(`${user}-phone`)
    posthog.group('company', `acme-${user}`, { seats: 5 })
    return values
  }, user)
  await page.waitForFunction(() =>
    ['pros', 'big'].every((key) => posthog.getFeatureFlag(key, { send_event: false }) === true),
  )
  const after = await page.evaluate(async () => {
    const surveys = await new Promise<{ name: string }[]>((resolve) => posthog.getSurveys(resolve, true))
    const active = await new Promise<{ name: string }[]>((resolve) => posthog.getActiveMatchingSurveys(resolve, true))
    const features = await new Promise<{ flagKey: string }[]>((resolve) =>
      posthog.getEarlyAccessFeatures(resolve, true),
    )
    posthog.updateEarlyAccessFeatureEnrollment('dark-mode', true)
    return {
      pros: posthog.getFeatureFlag('pros'),
      big: posthog.getFeatureFlag('big'),
      surveys: surveys.map(({ name }) => name),
      active: active.map(({ name }) => name),
      features: features.map(({ flagKey }) => flagKey),
    }
  })
  await page.click('#buy')
  await waitUntilSent(sdkPage, '$autocapture')
  await page.evaluate(() => posthog.reset())
  await sdkPage.waitUntilIdle()
  const idAfterReset = await page.evaluate(() => {
    posthog.capture('after reset')
    return posthog.get_distinct_id()
  })
  await sdkPage.leave()
  return { before, after, idAfterReset }
}

/** The values that a page must read, in any version. */
export const EXPECTED_VALUES = {
  before: { anonymous: expect.any(String), beta: true, button: 'blue', payload: { colour: '#00f' }, pros: false },
  after: { pros: true, big: true, surveys: ['How was it?'], active: ['How was it?'], features: ['dark-mode'] },
  idAfterReset: expect.any(String),
}

/** Expects what a visit must store: each event once, one person for all ids except the one after `reset`, and the group. */
export const expectVisitStored = async (
  service: RunningService,
  user: string,
  { before: { anonymous }, idAfterReset }: Awaited<ReturnType<typeof runVisit>>,
): Promise<void> => {
  await service.settled()
  const flagCall = '$feature_flag_called'
  const rows = await expectRows(service, {
    [anonymous]: ['$pageview', flagCall, flagCall, flagCall, 'bought'],
    [user]: [
      '$identify',
      '$set',
      '$create_alias',
      '$groupidentify',
      flagCall,
      flagCall,
      '$feature_enrollment_update',
      '$autocapture',
    ],
    [idAfterReset]: ['after reset', '$pageleave'],
  })
  const rowOf = (event: string) => rows.find((row) => row.event === event)!
  expect(rowOf('bought').properties).toMatchObject({ item: 'tea', price: 2.5, tags: ['grün', '日本'] })
  expect(rowOf('$autocapture').properties).toMatchObject({
    $event_type: 'click',
    $elements_chain: expect.stringContaining('Buy tea'),
    $groups: { company: `acme-${user}` },
    '$feature/button': 'blue',
  })
  expectFlagsCalled(rows, { beta: true, button: 'blue', pros: [false, true], big: true })
  const person = await expectPerson(service, [anonymous, user, `${user}-phone`], {
    email: `${user}@example.com`,
    first_seen: 'today',
    plan: 'pro',
    source: 'ad',
    $initial_pathname: '/shoes',
    '$feature_enrollment/dark-mode': true,
  })
  for (const { distinctId, personId } of rows) expect(personId === person).toBe(distinctId !== idAfterReset)
  await expectGroup(service, `acme-${user}`, { seats: 5 })
}

/** How a short visit differs from one with default options. */
export interface ShortVisitExpectations {
  /** True if events are sent in batches. Default true. */
  readonly isBatched?: boolean
  /** Further events. */
  readonly furtherEvents?: readonly string[]
  /** Warnings that the package logs because of its options. */
  readonly expectedWarnings?: readonly string[]
}

/** Makes a short visit, and expects that each event is stored once and that the package logs no errors. */
export const runShortVisit = async (
  service: RunningService,
  sdkPage: SdkPage,
  initSdk: () => Promise<unknown>,
  { isBatched = true, furtherEvents = [], expectedWarnings = [] }: ShortVisitExpectations = {},
): Promise<void> => {
  await initSdk()
  await sdkPage.waitUntilIdle()
  await sdkPage.page.click('#buy')
  await waitUntilSent(sdkPage, '$autocapture')
  const id = await sdkPage.page.evaluate(() => {
    posthog.capture('looked', { item: 'tea' })
    return posthog.get_distinct_id()
  })
  // Events in a batch are sent by beacon when the page is left. A single event may be lost while the package compresses it.
  if (!isBatched) await waitUntilSent(sdkPage, 'looked')
  await sdkPage.leave()
  await service.settled()
  await expectRows(service, { [id]: ['$pageview', '$autocapture', 'looked', '$pageleave', ...furtherEvents] })
  expectNoErrors(sdkPage, expectedWarnings)
}
