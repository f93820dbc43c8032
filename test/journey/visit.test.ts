import type { Browser, Page } from 'playwright-core'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch } from '../support/browser.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'
import type { Site } from '../support/site.ts'
import { until } from '../support/until.ts'
import type { Waymark } from '../../src/entry/index.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark

const createFlags = (variant: string) => [
  {
    key: 'hero',
    active: true,
    filters: {
      groups: [{ properties: [], rollout_percentage: 100, variant }],
      multivariate: {
        variants: [
          { key: 'calm', rollout_percentage: 50 },
          { key: 'bold', rollout_percentage: 50 },
        ],
      },
      payloads: { calm: '{"colour":"green"}', bold: '{"colour":"red"}' },
    },
  },
  { key: 'beta', active: true, filters: { groups: [{ properties: [], rollout_percentage: 0 }] } },
]

describe('a visit', () => {
  let folder: string
  let service: RunningService
  let site: Site
  let browser: Browser
  let page: Page
  const messages: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-visit-'))
    service = await startJourneyService(join(folder, 'data'))
    service.setFlags(createFlags('calm'))
    site = await startSite({ key: service.apiKey, host: service.url })
    browser = await launch()
    page = await browser.newPage()
    page.on('console', (message) => messages.push(message.text()))
    page.on('pageerror', (error) => messages.push(String(error)))
    await page.goto(site.url)
  })
  afterAll(async () => {
    // First, because the service process would survive if closing an unstarted browser threw an error.
    await service.kill()
    await browser.close()
    await site.close()
    await removeFolder(folder)
  })

  const waitForRows = (event: string, minCount = 1) =>
    until(
      () =>
        service.query(`SELECT distinct_id, person_id, properties FROM events WHERE event = '${event}' ORDER BY uuid`),
      (rows) => rows.length >= minCount,
    ).then((rows) =>
      rows.map(([distinctId, personId, properties]) => ({
        distinctId,
        personId,
        properties: JSON.parse(properties as string) as Record<string, unknown>,
      })),
    )
  const flush = () => page.evaluate(() => waymark.flush())

  it('records the page view, a click, and a change of the path', async () => {
    await page.getByRole('button', { name: 'Buy' }).click()
    await page.evaluate(() => history.pushState({}, '', '/teas'))
    await flush()
    const views = await waitForRows('$pageview', 2)
    expect(views.map(({ properties }) => properties.$pathname)).toEqual(['/', '/teas'])
    const [purchase] = await waitForRows('bought')
    expect(purchase!.properties).toMatchObject({
      item: 'tea',
      $pathname: '/',
      $lib: 'waymark',
      $process_person_profile: false,
    })
    expect(purchase!.properties.$session_id).toBe(await page.evaluate(() => waymark.getSessionId()))
  })

  it('reads flags, reports the first read of each value, and adds them to events', async () => {
    await until(
      () => page.evaluate(() => waymark.getFeatureFlag('hero')),
      (value) => value === 'calm',
    )
    expect(await page.evaluate(() => waymark.getFeatureFlagPayload('hero'))).toEqual({ colour: 'green' })
    expect(await page.evaluate(() => [waymark.isFeatureEnabled('beta'), waymark.isFeatureEnabled('hero')])).toEqual([
      false,
      true,
    ])
    await page.evaluate(() => waymark.capture('with flags'))
    await flush()
    const [event] = await waitForRows('with flags')
    expect(event!.properties).toMatchObject({ '$feature/hero': 'calm', $active_feature_flags: ['hero'] })

    service.setFlags(createFlags('bold'))
    await until(
      () => page.evaluate(() => waymark.reloadFeatureFlags().then(() => waymark.getFeatureFlag('hero'))),
      (value) => value === 'bold',
    )
    await flush()
    const flagCalls = (await waitForRows('$feature_flag_called', 3)).map(({ properties }) => [
      properties.$feature_flag,
      properties.$feature_flag_response,
    ])
    expect(flagCalls.filter(([flag]) => flag === 'hero')).toEqual([
      ['hero', 'calm'],
      ['hero', 'bold'],
    ])
  })

  it('is one person before and after identify, with properties and a group', async () => {
    const anonymousId = await page.evaluate(() => waymark.getDistinctId())
    await page.evaluate(() => {
      waymark.identify('user-1', { email: 'user@example.com' }, { first_seen: 'today' })
      waymark.group('company', 'acme', { seats: 5 })
      waymark.capture('signed in')
    })
    await flush()
    const [signedIn] = await waitForRows('signed in')
    expect(signedIn).toMatchObject({
      distinctId: 'user-1',
      properties: { $groups: { company: 'acme' }, $is_identified: true },
    })
    const persons = await until(
      () => service.query('SELECT DISTINCT person_id FROM events'),
      (persons) => persons.length === 1,
    )
    expect(persons).toEqual([[signedIn!.personId]])
    const ids = await service.query('SELECT distinct_id FROM person_distinct_ids ORDER BY 1')
    expect(ids.flat()).toEqual([anonymousId, 'user-1'].sort())
    const [[personJson]] = (await service.query('SELECT properties FROM persons')) as [[string]]
    expect(JSON.parse(personJson)).toMatchObject({ email: 'user@example.com', first_seen: 'today' })
    const [[groupJson]] = (await service.query(`SELECT properties FROM groups WHERE group_type = 'company'`)) as [
      [string],
    ]
    expect(JSON.parse(groupJson)).toMatchObject({ seats: 5 })
  })

  it('records a survey with its response', async () => {
    await page.evaluate(() => {
      waymark.surveyShown('survey-1')
      waymark.surveySent('survey-1', 'Great')
      waymark.surveyDismissed('survey-1')
    })
    await flush()
    expect((await waitForRows('survey sent'))[0]!.properties).toMatchObject({
      $survey_id: 'survey-1',
      $survey_response: 'Great',
    })
    await waitForRows('survey shown')
    await waitForRows('survey dismissed')
  })

  it('is a new person after reset', async () => {
    await page.evaluate(() => {
      waymark.reset()
      waymark.capture('after reset')
    })
    await flush()
    const [event] = await waitForRows('after reset')
    expect(event!.distinctId).not.toBe('user-1')
    expect(event!.properties).not.toHaveProperty('$groups')
  })

  it('writes nothing to the console and throws nothing', () => {
    expect(messages).toEqual([])
  })
})
