import { expect } from 'vitest'
import type { RunningService } from '../../support/service.ts'
import { expectNoComplaint, sent } from './asked.ts'
import type { SdkPage } from './sdk-bed.ts'
import { expectCalled, expectGroup, expectPerson, expectRows } from './stored.ts'

/** What pages call on posthog-js, of any version. */
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

/** Resolves in the page when flags were loaded for the first time. */
const flagsLoaded = (page: SdkPage['page']): Promise<void> =>
  page.evaluate(() => new Promise<void>((resolve) => void posthog.onFeatureFlags(() => resolve())))

/** Uses everything that the service stands for, as one visitor after another on one device, and answers what the page was told. */
export const visit = async (opened: SdkPage, user: string, begin: () => Promise<unknown>) => {
  const { page } = opened
  await begin()
  await flagsLoaded(page)
  const before = await page.evaluate((user) => {
    const told = {
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
    return told
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
  await sent(opened, '$autocapture')
  await page.evaluate(() => posthog.reset())
  await opened.quiet()
  const next = await page.evaluate(() => {
    posthog.capture('after reset')
    return posthog.get_distinct_id()
  })
  await opened.leave()
  return { before, after, next }
}

/** What a page must have been told, whatever the version. */
export const TOLD = {
  before: { anonymous: expect.any(String), beta: true, button: 'blue', payload: { colour: '#00f' }, pros: false },
  after: { pros: true, big: true, surveys: ['How was it?'], active: ['How was it?'], features: ['dark-mode'] },
  next: expect.any(String),
}

/** Holds what is stored of a visit to what the page did: each event once, one person for all ids but those after `reset`, and the group. */
export const expectStored = async (
  service: RunningService,
  user: string,
  { before: { anonymous }, next }: Awaited<ReturnType<typeof visit>>,
): Promise<void> => {
  await service.settled()
  const called = '$feature_flag_called'
  const rows = await expectRows(service, {
    [anonymous]: ['$pageview', called, called, called, 'bought'],
    [user]: [
      '$identify',
      '$set',
      '$create_alias',
      '$groupidentify',
      called,
      called,
      '$feature_enrollment_update',
      '$autocapture',
    ],
    [next]: ['after reset', '$pageleave'],
  })
  const rowOf = (event: string) => rows.find((row) => row.event === event)!
  expect(rowOf('bought').properties).toMatchObject({ item: 'tea', price: 2.5, tags: ['grün', '日本'] })
  expect(rowOf('$autocapture').properties).toMatchObject({
    $event_type: 'click',
    $elements_chain: expect.stringContaining('Buy tea'),
    $groups: { company: `acme-${user}` },
    '$feature/button': 'blue',
  })
  expectCalled(rows, { beta: true, button: 'blue', pros: [false, true], big: true })
  const person = await expectPerson(service, [anonymous, user, `${user}-phone`], {
    email: `${user}@example.com`,
    first_seen: 'today',
    plan: 'pro',
    source: 'ad',
    $initial_pathname: '/shoes',
    '$feature_enrollment/dark-mode': true,
  })
  for (const { distinctId, personId } of rows) expect(personId === person).toBe(distinctId !== next)
  await expectGroup(service, `acme-${user}`, { seats: 5 })
}

/** What is otherwise than on any page. */
interface Expected {
  /** Default true: events wait to be sent together. */
  readonly isBatched?: boolean
  /** Events beside those of every visit. */
  readonly also?: readonly string[]
  /** What the package logs as a warning of the options that it was given. */
  readonly ofOptions?: readonly string[]
}

/** A short visit: holds the service to each of its events once, and the package to silence. */
export const lookAround = async (
  service: RunningService,
  opened: SdkPage,
  begin: () => Promise<unknown>,
  { isBatched = true, also = [], ofOptions = [] }: Expected = {},
): Promise<void> => {
  await begin()
  await opened.quiet()
  await opened.page.click('#buy')
  await sent(opened, '$autocapture')
  const id = await opened.page.evaluate(() => {
    posthog.capture('looked', { item: 'tea' })
    return posthog.get_distinct_id()
  })
  // What waits for a batch goes by beacon when the page goes; what is just being packed and sent by itself the package may lose then.
  if (!isBatched) await sent(opened, 'looked')
  await opened.leave()
  await service.settled()
  await expectRows(service, { [id]: ['$pageview', '$autocapture', 'looked', '$pageleave', ...also] })
  expectNoComplaint(opened, ofOptions)
}
