import type { Page } from 'playwright-core'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PostHog } from '../../../src/entry/compat.ts'
import { bundlePage } from './bundle-page.ts'
import { expectRows } from './expect-stored.ts'
import type { StoredRow } from './expect-stored.ts'
import { waitUntilSent } from './page-requests.ts'
import { openSdkTestBed } from './sdk-test-bed.ts'
import type { SdkPage, SdkTestBed } from './sdk-test-bed.ts'

declare const shop: {
  readonly posthog: PostHog
  open(key: string, options: object): void
  visit(user: string): Promise<{ anonymous: string; afterReset: string; values: unknown[] }>
}

/** It has no flags until it has the answer of this path. */
const settingsPath = '/array/'

let testBed: SdkTestBed
/** The same site with either package: `?moved` in its URL chooses the new one. */
let script: string
beforeAll(async () => {
  testBed = await openSdkTestBed('node_modules/posthog-js/dist')
  const [before, after] = await Promise.all([
    bundlePage('shop'),
    bundlePage('shop', { 'posthog-js': resolve('dist/compat.js') }),
  ])
  script = `if (location.search === '?moved') { ${after} } else { ${before} }`
})
afterAll(() => testBed?.close())

/** Opens the site in a page that exists, with one of the packages, and calls `init`. */
const goTo = async ({ page, host }: SdkPage, isMoved: boolean, options: object = {}): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/shoes${isMoved ? '?moved' : ''}`)
  // By default posthog-js gives up flags after 3 seconds, which a busy machine may need.
  const allOptions = isMoved ? options : { feature_flag_request_timeout_ms: 60_000, ...options }
  await page.evaluate(({ key, options }) => shop.open(key, options), {
    key: testBed.service.apiKey,
    options: { api_host: host, ...allOptions },
  })
}

/** Sends an event at once, and waits until it and events before it were sent: posthog-js holds those for some seconds. */
const captureAndSend = async (sdkPage: SdkPage, event: string, earlierEvents: readonly string[]): Promise<void> => {
  await sdkPage.page.evaluate((event) => shop.posthog.capture(event, {}, { send_instantly: true }), event)
  for (const sent of [...earlierEvents, event]) await waitUntilSent(sdkPage, sent)
}

/** What the site itself has set on an event. */
const describeRow = (row: StoredRow, names: Readonly<Record<string, string>>, user: string) => {
  // After `resetGroups()`, posthog-js sends an empty object.
  const own = Object.entries(row.properties).filter(
    ([name, value]) => OWN_PROPERTIES.has(name) && JSON.stringify(value) !== '{}',
  )
  return JSON.parse(
    JSON.stringify([
      row.event,
      names[row.distinctId],
      Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1))),
    ]).replaceAll(user, '<user>'),
  ) as unknown
}

const OWN_PROPERTIES = new Set(
  'app version first_page item tags secret price to title $groups $group_type $group_key $group_set $feature_flag $feature_flag_response'.split(
    ' ',
  ),
)

/** Reads the person of a distinct id, without what the packages add by themselves: names with a dollar, and campaigns that are null. */
const readPerson = async (id: string) => {
  const [[properties] = []] = await testBed.service.query(
    `SELECT properties FROM persons WHERE id IN (SELECT person_id FROM person_distinct_ids WHERE distinct_id = '${id}')`,
  )
  const entries = Object.entries(JSON.parse(String(properties)) as object)
  return Object.fromEntries(entries.filter(([name, value]) => !name.startsWith('$') && value !== null))
}

/** Visits the site, and returns what the service has stored of the visit. */
const visitSite = async (isMoved: boolean, user: string) => {
  const sdkPage = await testBed.open({ script, settingsPath })
  await goTo(sdkPage, isMoved)
  const { anonymous, afterReset, values } = await sdkPage.page.evaluate((user) => shop.visit(user), user)
  await sdkPage.waitUntilIdle()
  await sdkPage.leave()
  await testBed.service.settled()
  const flagCall = '$feature_flag_called'
  const rows = await expectRows(testBed.service, {
    [anonymous]: ['$pageview', flagCall, flagCall, 'looked'],
    [user]: ['$identify', '$set', '$set', '$groupidentify', 'bought', 'agreed', 'alone'],
    [afterReset]: ['after reset', '$pageleave'],
  })
  const names = { [anonymous]: 'anonymous', [user]: 'user', [afterReset]: 'after reset' }
  const persons = new Map<string, number>()
  for (const { personId } of rows) if (!persons.has(personId)) persons.set(personId, persons.size)
  return {
    values,
    rows: rows
      .map((row) => describeRow(row, names, user))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    personOf: Object.fromEntries(rows.map(({ distinctId, personId }) => [names[distinctId], persons.get(personId)])),
    person: JSON.parse(JSON.stringify(await readPerson(user)).replaceAll(user, '<user>')) as unknown,
    group: await testBed.service.query(`SELECT group_type, properties FROM groups WHERE group_key = 'acme-${user}'`),
  }
}

describe('a site that imports waymark/compat in place of posthog-js', () => {
  it('stores the same events, persons and groups', async () => {
    const before = await visitSite(false, 'ada')
    const after = await visitSite(true, 'bob')
    expect(before.personOf).toEqual({ anonymous: 0, user: 0, 'after reset': 1 })
    expect(before.person).toMatchObject({ plan: 'pro', city: 'Berlin', bought: true, first_item: 'tea' })
    expect(after).toEqual(before)
  })
})

/** What a page knows of its visitor. */
const readVisitor = (page: Page) =>
  page.evaluate(() => ({
    id: shop.posthog.get_distinct_id(),
    device: shop.posthog.get_property('$device_id'),
    groups: shop.posthog.getGroups(),
    plan: shop.posthog.get_property('plan'),
  }))

describe.concurrent('a visitor of posthog-js', () => {
  it.each(['localStorage+cookie', 'localStorage', 'cookie', 'sessionStorage'])(
    'stays the same person after the move, stored in %s',
    async (persistence) => {
      const user = `eve-${persistence}`
      const sdkPage = await testBed.open({ script })
      // A cookie cannot hold what posthog-js stores of flags and surveys, too.
      const options = { persistence, advanced_disable_flags: true, disable_surveys: true }
      await goTo(sdkPage, false, options)
      await sdkPage.page.evaluate((user) => {
        shop.posthog.register({ plan: 'pro' })
        shop.posthog.group('company', `acme-${user}`)
      }, user)
      await captureAndSend(sdkPage, 'before the move', ['$pageview', '$groupidentify'])
      const before = await readVisitor(sdkPage.page)
      await goTo(sdkPage, true, options)
      expect(await readVisitor(sdkPage.page)).toEqual(before)
      await captureAndSend(sdkPage, 'after the move', [])
      await sdkPage.page.evaluate((user) => shop.posthog.identify(user), user)
      await captureAndSend(sdkPage, 'identified', ['$identify'])
      await sdkPage.leave()
      await testBed.service.settled()
      const rows = await expectRows(testBed.service, {
        [before.id]: ['$pageview', '$groupidentify', 'before the move', '$pageleave', '$pageview', 'after the move'],
        [user]: ['$identify', 'identified', '$pageleave'],
      })
      expect(new Set(rows.map(({ personId }) => personId)).size).toBe(1)
      expect(rows.find(({ event }) => event === 'after the move')!.properties).toMatchObject({
        plan: 'pro',
        first_page: '/shoes',
        $groups: { company: `acme-${user}` },
        $device_id: before.device,
      })
    },
  )

  it('stays identified', async () => {
    const sdkPage = await testBed.open({ script, settingsPath })
    await goTo(sdkPage, false)
    await sdkPage.page.evaluate(() => shop.posthog.identify('fay'))
    await captureAndSend(sdkPage, 'before the move', ['$pageview', '$identify'])
    const before = await readVisitor(sdkPage.page)
    await goTo(sdkPage, true)
    await sdkPage.page.evaluate(() => shop.posthog.identify('fay'))
    await captureAndSend(sdkPage, 'after the move', [])
    expect(await readVisitor(sdkPage.page)).toEqual(before)
    await sdkPage.leave()
    await testBed.service.settled()
    const rows = await expectRows(testBed.service, {
      fay: ['$identify', 'before the move', '$pageleave', '$pageview', 'after the move', '$pageleave'],
    })
    expect(rows.at(-1)!.properties).toMatchObject({ $is_identified: true, $process_person_profile: true })
  })

  it('stays opted out', async () => {
    const sdkPage = await testBed.open({ script, settingsPath })
    await goTo(sdkPage, false)
    await captureAndSend(sdkPage, 'before the decision', ['$pageview'])
    const { id } = await readVisitor(sdkPage.page)
    await sdkPage.page.evaluate(() => shop.posthog.opt_out_capturing())
    await goTo(sdkPage, true)
    const consent = await sdkPage.page.evaluate(() => {
      shop.posthog.capture('after the move')
      return [shop.posthog.has_opted_out_capturing(), shop.posthog.get_distinct_id()]
    })
    expect(consent).toEqual([true, id])
    await sdkPage.leave()
    await testBed.service.settled()
    await expectRows(testBed.service, { [id]: ['$pageview', 'before the decision'] })
  })
})
