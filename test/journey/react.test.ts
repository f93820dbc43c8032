import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/index.ts'
import type { WaymarkProviderProps } from '../../src/entry/react.ts'
import { setUpReact } from '../react/load-react.ts'
import type { ReactFixture } from '../react/load-react.ts'
import { bundleReactPage } from '../support/bundle-react-page.ts'
import { launch } from '../support/browser.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'
import type { Site } from '../support/site.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark
/** The titles that the page has shown, one for each change of the page. */
declare const titles: (string | null)[]

/** The app, for the server and for the page. It runs in the page too, so it uses nothing but its arguments. */
const createShop = (
  { createElement, StrictMode }: Pick<ReactFixture['React'], 'createElement' | 'StrictMode'>,
  {
    CaptureOnView,
    useFeatureFlag,
    WaymarkProvider,
  }: Pick<ReactFixture['waymark'], 'CaptureOnView' | 'useFeatureFlag' | 'WaymarkProvider'>,
) => {
  const Shop = () =>
    createElement(
      'main',
      null,
      createElement('h1', null, String(useFeatureFlag('hero'))),
      createElement('div', { style: { height: 3_000 } }),
      createElement(CaptureOnView, { event: 'prices seen', properties: { page: 'shop' } }, 'Prices'),
    )
  return (props: Pick<WaymarkProviderProps, 'client' | 'bootstrap'>) =>
    createElement(StrictMode, null, createElement(WaymarkProvider, props, createElement(Shop)))
}

const createFlags = (variant: string) => [
  {
    key: 'hero',
    active: true,
    filters: {
      groups: [{ properties: [], rollout_percentage: 100 }],
      multivariate: { variants: [{ key: variant, rollout_percentage: 100 }] },
    },
  },
]

const BOOTSTRAP = { featureFlags: { hero: 'calm' } }

const TAKE_OVER = `
  window.titles = []
  observe(() => titles.push(document.querySelector('h1').textContent))
  hydrateRoot(root, (${String(createShop)})(React, waymarkReact)({ client: waymark, bootstrap }))`

describe('a page that React takes over from the server', () => {
  const react = setUpReact('19')
  let folder: string
  let service: RunningService
  let site: Site
  let browser: Browser
  let page: Page
  const complaints: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-react-'))
    service = await startJourneyService(join(folder, 'data'))
    service.setFlags(createFlags('calm'))
    const shop = createShop(react.React, react.waymark)({ client: undefined, bootstrap: BOOTSTRAP })
    const html = react.load('react-dom/server').renderToString(shop)
    site = await startSite(
      { key: service.apiKey, host: service.url },
      {
        '/shop': {
          contentType: 'text/html',
          body: `<!doctype html><title>A shop</title><div id="root">${html}</div><script src="/shop.js"></script>`,
        },
        '/shop.js': {
          contentType: 'text/javascript',
          body: await bundleReactPage(react, service.apiKey, { host: service.url, bootstrap: BOOTSTRAP }, TAKE_OVER),
        },
      },
    )
    browser = await launch()
    page = await browser.newPage()
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(`${site.url}/shop`)
  })
  afterAll(async () => {
    // First, because the service process would survive if closing an unstarted browser threw an error.
    await service.kill()
    await browser.close()
    await site.close()
    await removeFolder(folder)
  })

  /** Delivers the events, and returns the properties of those with this name. */
  const readStored = async (event: string): Promise<Record<string, unknown>[]> => {
    await page.evaluate(() => waymark.flush())
    await service.settled()
    const rows = await service.query(`SELECT properties FROM events WHERE event = '${event}' ORDER BY uuid`)
    return rows.map(([properties]) => JSON.parse(properties as string) as Record<string, unknown>)
  }

  it('shows what the server has rendered, and changes nothing when the flags have loaded', async () => {
    await page.evaluate(() => waymark.reloadFeatureFlags())
    expect(await page.evaluate(() => [document.querySelector('h1')!.textContent, titles])).toEqual(['calm', []])
    expect(complaints).toEqual([])
  })

  it('shows another value when the service has it, and reports each value once', async () => {
    service.setFlags(createFlags('bold'))
    await until(
      () => page.evaluate(() => waymark.reloadFeatureFlags().then(() => document.querySelector('h1')!.textContent)),
      (title) => title === 'bold',
    )
    expect(await page.evaluate(() => titles)).toEqual(['bold'])
    const reads = await readStored('$feature_flag_called')
    expect(reads.map((properties) => properties['$feature_flag_response'])).toEqual(['calm', 'bold'])
  })

  it('captures once what the user scrolls to', async () => {
    expect(await readStored('prices seen')).toEqual([])
    await page.getByText('Prices').scrollIntoViewIfNeeded()
    await until(
      () => readStored('prices seen'),
      (events) => events.length > 0,
    )
    await page.evaluate(() => scrollTo(0, 0))
    await page.getByText('Prices').scrollIntoViewIfNeeded()
    // Observers report between frames.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    expect(await readStored('prices seen')).toMatchObject([{ page: 'shop' }])
    expect(complaints).toEqual([])
  })
})
