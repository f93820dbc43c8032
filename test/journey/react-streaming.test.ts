import type { ServerResponse } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/index.ts'
import type { WaymarkProviderProps } from '../../src/entry/react.ts'
import { REACT_VERSIONS, setUpReact } from '../react/load-react.ts'
import type { ReactFixture } from '../react/load-react.ts'
import { launch } from '../support/browser.ts'
import { bundleReactPage } from '../support/bundle-react-page.ts'
import { startSite } from '../support/site.ts'
import type { Site } from '../support/site.ts'

declare const waymark: Waymark
/** The titles that React has taken over, by their id. */
declare const hydrated: string[]
/** What the two titles have shown, from the start of the script on. A hyphen stands for a title that is not there yet. */
declare const shown: string[]

/** The app, for the server and for the page. It runs in the page too, so it uses nothing but its arguments. */
const createShop = (
  { createElement, StrictMode, Suspense, useEffect }: ReactFixture['React'],
  { useFeatureFlag, WaymarkProvider }: Pick<ReactFixture['waymark'], 'useFeatureFlag' | 'WaymarkProvider'>,
) => {
  const Title = ({ id }: { id: string }) => {
    useEffect(() => {
      if (!hydrated.includes(id)) hydrated.push(id)
    }, [])
    return createElement('h1', { id }, String(useFeatureFlag('hero')))
  }
  const Late = ({ wait }: { wait(): void }) => {
    wait()
    return createElement(Title, { id: 'late' })
  }
  /** @param wait Throws a promise while the server does not have the last part. */
  return ({ wait, ...props }: Pick<WaymarkProviderProps, 'client' | 'bootstrap'> & { wait(): void }) =>
    createElement(
      StrictMode,
      null,
      createElement(
        WaymarkProvider,
        props,
        // An element, without which React 19 waits for a part that might be the `<head>`.
        createElement(
          'main',
          null,
          createElement(Title, { id: 'first' }),
          createElement(Suspense, { fallback: 'Please wait' }, createElement(Late, { wait })),
        ),
      ),
    )
}

const BOOTSTRAP = { featureFlags: { hero: 'calm' } }

const TAKE_OVER = `
  window.hydrated = []
  window.shown = []
  const read = () => {
    const titles = ['first', 'late'].map((id) => document.getElementById(id)?.textContent ?? '-').join()
    if (titles !== shown.at(-1)) shown.push(titles)
  }
  observe(read)
  read()
  hydrateRoot(root, (${String(createShop)})(React, waymarkReact)({ client: waymark, bootstrap, wait() {} }))`

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

describe.each(REACT_VERSIONS)('a page that a server streams, with React %s', (version) => {
  const react = setUpReact(version)
  let site: Site
  /** Lets the server send the last part of the page. */
  let sendRest: () => void

  /** The value of the flag in the service, in whose place is the site. */
  let hero: string

  const writePage = (response: ServerResponse): void => {
    let isWaiting = true
    const rest = new Promise<void>((resolve) => (sendRest = resolve)).then(() => void (isWaiting = false))
    const wait = (): void => {
      // oxlint-disable-next-line typescript/only-throw-error -- so a component tells React to wait for a promise
      if (isWaiting) throw rest
    }
    response.write('<!doctype html><title>A shop</title><div id="root">')
    const app = createShop(react.React, react.waymark)({ client: undefined, bootstrap: BOOTSTRAP, wait })
    const stream = react.load('react-dom/server').renderToPipeableStream(app, {
      bootstrapScripts: ['/shop.js'],
      onShellReady: () => stream.pipe(response),
    })
  }

  beforeAll(async () => {
    const options = { host: '/service', bootstrap: BOOTSTRAP }
    site = await startSite(
      { key: 'key', host: options.host },
      {
        '/shop': { contentType: 'text/html', body: writePage },
        '/shop.js': { contentType: 'text/javascript', body: await bundleReactPage(react, 'key', options, TAKE_OVER) },
        '/service/decide/?v=3': {
          contentType: 'application/json',
          body: (response) => void response.end(JSON.stringify({ featureFlags: { hero } })),
        },
      },
    )
  }, 240_000)
  afterAll(() => site?.close())

  /** Opens a page, and sends its last part when React has taken over the first one and the agent has loaded the flags. */
  const visit = async (value: string) => {
    hero = value
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(`${site.url}/shop`, { waitUntil: 'commit' })
    await page.waitForFunction(() => 'hydrated' in globalThis && hydrated.join() === 'first')
    await page.evaluate(() => waymark.reloadFeatureFlags())
    await page.waitForFunction((title) => document.getElementById('first')!.textContent === title, value)
    sendRest()
    await page.waitForFunction(() => hydrated.join() === 'first,late')
    const result = { shown: await page.evaluate(() => shown), complaints }
    await page.close()
    return result
  }

  it('shows the bootstrapped values throughout, and React finds the HTML that it expects', async () => {
    expect(await visit('calm')).toEqual({ shown: ['calm,-', 'calm,calm'], complaints: [] })
  })

  it('takes over a part that arrives after its flag has changed without a warning', async () => {
    const { shown: titles, complaints } = await visit('bold')
    expect(complaints).toEqual([])
    expect(titles.slice(0, 2)).toEqual(['calm,-', 'bold,-'])
    expect(titles.at(-1)).toBe('bold,bold')
  })
})
