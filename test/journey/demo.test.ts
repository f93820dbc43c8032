import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { CAPTURE_VERBS, FLAG_VERBS, SURVEY_VERBS } from '../../src/agent/verb-table.ts'
import { launch } from '../support/browser.ts'
import { startDemo } from '../support/demo.ts'
import type { RunningDemo } from '../support/demo.ts'
import { findAccessibilityProblems } from '../support/find-accessibility-problems.ts'
import { tabThrough } from '../support/find-hidden-focus.ts'

/** Delivery takes 3 s, and the panel polls every 2 s; the rest is for indexing and a busy machine. */
const POLL_OPTIONS = { timeout: 20_000, interval: 100 }

interface HeroPayload {
  readonly headline: string
  readonly tone: string
}

let folder: string
let demo: RunningDemo
let browser: Browser
let page: Page
let consoleErrors: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-demo-'))
  ;[demo, browser] = await Promise.all([startDemo(['--data-folder', folder]), launch()])
})

afterAll(async () => {
  await browser.close()
  expect(await demo.stop()).toBe(0)
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  consoleErrors = []
  page = await open({})
})

afterEach(async () => {
  await page.context().close()
  // A violation of the page's Content Security Policy is an error on the console, too.
  expect(consoleErrors).toEqual([])
})

const open = async (options: BrowserContextOptions): Promise<Page> => {
  const newPage = await (await browser.newContext(options)).newPage()
  newPage.on('pageerror', (error) => consoleErrors.push(String(error)))
  newPage.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) consoleErrors.push(message.text())
  })
  await newPage.goto(demo.url)
  return newPage
}

const readText = (id: string): Promise<string> => page.locator(`#${id}`).innerText()
const clickButton = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).first().click()

/** Reads the event names in the table of stored events, newest first. Omits flag reads, whose time varies. */
const readEventNames = async (): Promise<string[]> =>
  (await page.locator('#events td:nth-child(2)').allInnerTexts()).filter((event) => event !== '$feature_flag_called')

const until = (read: () => Promise<unknown>) => expect.poll(read, POLL_OPTIONS)

test('prints the script tag for other pages, which the service serves', async () => {
  const [, src] = /Your pages +<script defer src="(\S+)" data-key="wm_[\w-]+"><\/script>/.exec(demo.output())!
  expect(src).toBe(`${demo.url}/waymark.js`)
  const { headers } = await fetch(src!)
  expect(headers.get('content-location')).toMatch(/^waymark\.[\da-f]{16}\.js$/)
  // A rebuilt script is used at once.
  expect(headers.get('cache-control')).toBe('no-cache')
})

test('teaches the script tag of the README by its own source', async () => {
  const readme = await readFile('README.md', 'utf8')
  const [, tag] = /^(<script .*<\/script>)$/m.exec(readme)!
  const key = /API key (\S+)/.exec(demo.output())![1]!
  const html = await (await fetch(demo.url)).text()
  expect(html).toContain(tag!.replace('https://analytics.example.com', '').replace('wm_…', key))
})

test('shows the variant of the agent, with its payload', async () => {
  const flags = JSON.parse(await readFile('demo/flags.json', 'utf8')) as readonly {
    readonly filters: { readonly payloads: Readonly<Record<string, HeroPayload>> }
  }[]
  await until(() => page.locator('#flags tr').count()).toBe(2)
  const variant = await page.locator('#flags tr', { hasText: 'hero' }).locator('td').nth(1).innerText()
  const payload = flags[0]!.filters.payloads[variant]!
  expect(await readText('headline')).toBe(payload.headline)
  expect(await page.locator('#hero').getAttribute('data-tone')).toBe(payload.tone)
})

test('shows a purchase and a pageview as soon as the service has stored them', async () => {
  await clickButton('Buy Kestrel Ridge')
  await page.getByRole('link', { name: 'Coasts' }).click()
  expect(new URL(page.url()).pathname).toBe('/maps/coasts')
  expect(await page.locator('.card').count()).toBe(2)
  expect(await readText('bag')).toBe('1')
  await until(async () => (await readEventNames()).slice(0, 2)).toEqual(['$pageview', 'map bought'])
  expect(await page.locator('#chart svg').getAttribute('aria-label')).toMatch(/^Events per minute: [1-9]/)

  await page.goBack()
  expect(await readText('maps-title')).toBe('All maps')
  await page.goto(`${demo.url}/maps/towns`)
  expect(await readText('maps-title')).toBe('Towns')
})

test('shows the queue while the service is unreachable, and then the request', async () => {
  await until(() => readText('request-status')).toBe('200')
  await until(() => readText('queue-length')).toBe('0')
  await page.context().setOffline(true)
  await clickButton('Buy Old Harbour')
  await clickButton('Buy Ring City')
  // The events of flag reads at the start may wait in the queue, too.
  await until(async () => Number(await readText('queue-length'))).toBeGreaterThanOrEqual(2)
  await page.context().setOffline(false)
  await until(() => readText('queue-length')).toBe('0')
  await until(() => readText('request-note')).toMatch(/^in \d+ ms, to \/batch\/$/)
  expect(await readText('delivery')).toMatch(/^last at \d\d:\d\d:\d\d$/)
  // The console has the failed requests of the panel and of the agent, as expected.
  consoleErrors = consoleErrors.filter((message) => !/ERR_INTERNET_DISCONNECTED|events not delivered/.test(message))
})

test('identifies a user at sign-in, and resets at sign-out', async () => {
  const anonymousId = await readText('distinct-id')
  await clickButton('Sign in')
  await page.getByLabel('Email').fill('grace@example.com')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  expect(await readText('distinct-id')).toBe('grace@example.com')
  await until(() => page.locator('#events tr').first().innerText()).toContain('grace@example.com')
  await page.reload()
  expect(await readText('distinct-id')).toBe('grace@example.com')
  await clickButton('Sign out')
  const newId = await readText('distinct-id')
  expect([anonymousId, 'grace@example.com']).not.toContain(newId)
})

test('reports a survey as shown, sent and dismissed', async () => {
  await clickButton(/^surveyShown/)
  // The page shows other numbers, too, such as that of the waiting events.
  await page.getByRole('dialog').getByText('4', { exact: true }).click()
  await page.getByLabel('What should we draw next?').fill('Bogs')
  await clickButton('Send')
  await clickButton(/^surveyShown/)
  await page.keyboard.press('Escape')
  await until(async () => (await readEventNames()).filter((event) => event.startsWith('survey'))).toEqual([
    'survey dismissed',
    'survey shown',
    'survey sent',
    'survey shown',
  ])
})

test('captures nothing after optOut, until optIn', async () => {
  await clickButton(/^optOut/)
  expect(await readText('consent')).toBe('opted out: nothing is captured')
  await clickButton('Buy Kestrel Ridge')
  expect(await readText('last-call')).toContain("capture('map bought'")
  await clickButton(/^optIn/)
  await clickButton(/^screen/)
  await until(async () => (await readEventNames())[0]).toBe('$screen')
  expect((await readEventNames())[1]).not.toBe('map bought')
  // The agent's warning to the developer.
  consoleErrors = consoleErrors.filter((message) => message !== '[waymark] event dropped (opted_out): map bought')
})

test('has a button for every verb, which shows the answer', async () => {
  const verbs = page.locator('.verb')
  const names = await verbs.locator('b').allInnerTexts()
  // The tables have every name of the agent's type.
  expect(names.toSorted()).toEqual(Object.keys({ ...CAPTURE_VERBS, ...FLAG_VERBS, ...SURVEY_VERBS }).toSorted())
  await until(() => page.locator('#flags tr').count()).toBe(2)
  const press = async (name: string): Promise<string> => {
    await verbs.nth(names.indexOf(name)).click()
    if (name === 'surveyShown') await page.keyboard.press('Escape')
    const answer = page.locator('.verb-group li').nth(names.indexOf(name)).locator('output')
    await until(() => answer.innerText()).not.toMatch(/^(a promise)?$/)
    return answer.innerText()
  }
  // These change what others answer, and are last on the page but one.
  const later = ['optOut', 'optIn', 'reset', 'shutdown']
  const answers = new Map<string, string>()
  for (const name of [...names.filter((name) => !later.includes(name)), ...later]) answers.set(name, await press(name))
  expect(answers.get('isFeatureEnabled')).toMatch(/^(true|false)$/)
  expect(answers.get('getFeatureFlagResult')).toMatch(
    /^\{ key: 'hero', enabled: true, variant: '\w+', payload: \{ tone: /,
  )
  expect(answers.get('onFeatureFlags')).toBe('() => { … }')
  expect(answers.get('getDistinctId')).toBe("'ada@example.com'")
  expect(answers.get('getStatus')).toMatch(/^\{ waitingEvents: \d+, lastDelivery: /)
  expect(answers.get('flush')).toBe('a promise of undefined')
})

test('points the page at another backend, and reads events back from there', async () => {
  const key = /API key (\S+)/.exec(demo.output())![1]!
  const personalKey = (await readFile(join(folder, 'demo-key'), 'utf8')).trim()
  const secondDemo = await startDemo([
    '--host',
    demo.url,
    '--key',
    key,
    '--project',
    '1',
    '--personal-key',
    personalKey,
  ])
  try {
    expect(secondDemo.url).not.toBe(demo.url)
    await page.goto(secondDemo.url)
    await clickButton('Buy Ring City')
    await until(readEventNames).toContain('map bought')
    await until(() => page.locator('#flags tr').count()).toBe(2)
  } finally {
    expect(await secondDemo.stop()).toBe(0)
  }
})

test('works with the keyboard only', async () => {
  const readFocusedText = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
  await page.keyboard.press('Tab')
  expect(await readFocusedText()).toBe('Skip to the maps')
  const box = await page.locator('.skip').first().boundingBox()
  expect(box!.y).toBeGreaterThanOrEqual(0)
  for (let tabs = 0; tabs < 20 && (await readFocusedText()) !== 'Coasts'; tabs++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await readFocusedText()).toBe('Coasts')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('maps-title')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Buy The Selkie Coast')
  expect(await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)).toBe('solid')
  await page.keyboard.press('Enter')
  expect(await readText('bag')).toBe('1')

  await page.locator('#sign-in').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  expect(await readText('distinct-id')).toBe('ada@example.com')
  expect(await readFocusedText()).toBe('Sign out')
})

test.each(['light', 'dark'] as const)('fits a phone without horizontal scrolling (%s)', async (colorScheme) => {
  await page.context().close()
  page = await open({ viewport: { width: 360, height: 740 }, colorScheme })
  await clickButton('Buy Kestrel Ridge')
  await until(readEventNames).toContain('map bought')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await page.locator('#ticker').click()
  expect(new URL(page.url()).hash).toBe('#panel')
})

test('never covers the control with the focus on a phone', async () => {
  await page.context().close()
  // Smooth scrolling would still be on its way.
  page = await open({ viewport: { width: 390, height: 740 }, reducedMotion: 'reduce' })
  const stops = await tabThrough(page)
  expect(stops.length).toBeGreaterThan(50)
  expect(stops.filter(({ problems }) => problems.length)).toEqual([])
  for (const [button, dialog] of [
    ['Sign in', 'Sign in'],
    [/^surveyShown/, 'One minute for the map makers?'],
  ] as const) {
    await clickButton(button)
    expect(await page.getByRole('dialog', { name: dialog }).isVisible()).toBe(true)
    expect((await tabThrough(page)).filter(({ problems }) => problems.length)).toEqual([])
    await page.keyboard.press('Escape')
  }
})

test.each([
  ['in light mode', {}],
  ['in dark mode', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 390, height: 740 } }],
  ['in forced colours', { forcedColors: 'active' }],
] as const)('axe-core finds no problem %s', async (_mode, options) => {
  await page.context().close()
  // Without motion, so that no colour is on its way.
  page = await open({ ...options, reducedMotion: 'reduce' })
  await until(() => page.locator('#flags tr').count()).toBe(2)
  await until(readEventNames).not.toEqual([])
  await clickButton(/^getFeatureFlags\(/)
  expect(await findAccessibilityProblems(page)).toEqual([])
  for (const button of ['Sign in', /^surveyShown/]) {
    await clickButton(button)
    expect(await findAccessibilityProblems(page, 'dialog[open]')).toEqual([])
    await page.keyboard.press('Escape')
  }
  await page.goto(`${demo.url}/numbers`)
  await until(() => page.locator('#retention tr').count()).toBe(7)
  expect(await findAccessibilityProblems(page)).toEqual([])
})

test('answers three questions on the page "Numbers"', async () => {
  await clickButton('Buy Kestrel Ridge')
  await until(readEventNames).toContain('map bought')
  await page.getByRole('link', { name: 'Numbers' }).click()
  expect(new URL(page.url()).pathname).toBe('/numbers')
  await until(() => readText('trend-legend')).toMatch(/Visits: [1-9]\d*\s+Maps bought: [1-9]/)
  expect(await page.locator('#trend svg').getAttribute('aria-label')).toMatch(/^Visits: [1-9]\d*, at most/)
  const steps = page.locator('#funnel li')
  await until(() => steps.count()).toBe(3)
  expect(await steps.allInnerTexts()).toEqual([
    expect.stringMatching(/^Visits\s+[1-9]\d* \(100 %\)$/),
    expect.stringMatching(/^Maps bought\s+[1-9]\d* \(\d+ %\)/),
    expect.stringMatching(/^Signed in\s+\d+ \(\d+ %\)/),
  ])
  await until(() => page.locator('#retention tr').count()).toBe(7)
  const sizes = await page.locator('#retention td:nth-child(2)').allInnerTexts()
  expect(sizes.map(Number).reduce((sum, size) => sum + size)).toBeGreaterThan(0)
  expect(await page.locator('#note').isHidden()).toBe(true)
})
