import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launch } from '../../support/browser.ts'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { startRelay } from './relay.ts'
import type { Relay, Relayed } from './relay.ts'

/** The service with what a project has, a site, and a browser: what a page with an SDK of the field needs. */
export interface SdkBed {
  readonly service: RunningService
  /** Opens a page of the site in a new profile. */
  open(markup: PageMarkup): Promise<SdkPage>
  close(): Promise<void>
}

/** What stands on a page of the site. */
export interface PageMarkup {
  /** Inline script, before everything else. */
  readonly head?: string
  /** Inline script at the end of the body. */
  readonly script?: string
  /** Where a proxy of the site has the service, `/ingest`; by default it is at an origin of its own. */
  readonly prefix?: string
}

/** A page with its own way to the service. */
export interface SdkPage {
  readonly page: Page
  /** Address of the service as this page is to be told. */
  readonly host: string
  /** What it asked of the service. */
  readonly requests: readonly Relayed[]
  /** Errors and warnings of its console, errors that nobody caught, and requests that failed. */
  readonly complaints: readonly string[]
  /** Goes to another page of the site, without the SDK, and waits until all that was sent is answered. */
  leave(): Promise<void>
  /** Resolves when something was asked of the service, and nothing more for a moment. */
  quiet(): Promise<void>
}

/**
 * Chromium as people use it: SDKs of the field drop what programs do, which `navigator.webdriver` and a headless browser's name tell. A name
 * that the driver sets is gone when a page goes.
 */
const AS_PEOPLE_DO = [
  '--disable-blink-features=AutomationControlled',
  '--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
]

/** How long nothing may be asked before a page is taken to be quiet, in milliseconds. */
const QUIET_MS = 300

const pageHtml = ({ head = '', script = '' }: PageMarkup): string => `<!doctype html><html><head><title>A shop</title>
<link rel="icon" href="data:,">${head && `<script>${inline(head)}</script>`}</head>
<body><h1>A shop</h1><button id="buy" class="big">Buy tea</button>${script && `<script>${inline(script)}</script>`}</body></html>`

const inline = (code: string): string => code.replaceAll('</script', '<\\/script')

/** Starts service, site and browser; `staticFolder` holds the scripts that the service is to serve. */
export const openSdkBed = async (staticFolder: string): Promise<SdkBed> => {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-sdk-'))
  const [service, browser] = await Promise.all([
    startJourneyService(folder, ['--static-folder', resolve(staticFolder)]),
    launch({ args: AS_PEOPLE_DO }),
  ])
  await equip(service)
  const closers: (() => Promise<unknown>)[] = []
  return {
    service,
    open: async (markup) => {
      const opened = await openPage(browser, service, markup)
      closers.push(opened.close)
      return opened
    },
    close: async () => {
      await browser.close()
      for (const close of closers) await close()
      await service.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Flags of each kind, a feature to enrol in, and a survey. */
const equip = async (service: RunningService): Promise<void> => {
  const flag = (key: string, filters: object) => service.create('feature_flags/', { key, filters })
  await service.create('groups_types/', { group_type: 'company' })
  await flag('beta', { groups: [{ rollout_percentage: 100 }] })
  await flag('button', {
    groups: [{ rollout_percentage: 100 }],
    multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
    payloads: { blue: '{"colour":"#00f"}' },
  })
  await flag('pros', { groups: [{ properties: [{ key: 'plan', value: 'pro', type: 'person' }] }] })
  await flag('big', {
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'seats', value: 3, operator: 'gt', type: 'group' }] }],
  })
  await service.create('early_access_feature/', { name: 'Dark mode', stage: 'beta' })
  await service.create('surveys/', {
    name: 'How was it?',
    type: 'api',
    questions: [{ type: 'open', question: 'How was it?' }],
    start_date: '2026-01-01T00:00:00Z',
  })
}

const openPage = async (
  browser: Browser,
  service: RunningService,
  markup: PageMarkup,
): Promise<SdkPage & { close(): Promise<void> }> => {
  const { prefix = '' } = markup
  const relay = await startRelay(service.url, prefix)
  const site = await startSite(markup, relay)
  const page = await browser.newPage()
  // Without it posthog-js keeps nearly all of its errors and warnings to itself.
  await page.addInitScript(() => void Object.assign(globalThis, { POSTHOG_DEBUG: true }))
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => void complaints.push(String(error)))
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // What is called so here are answers whose body nobody reads: posthog-js-lite looks at the status alone.
    if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.method()} ${request.url()} ${reason}`)
  })
  const quiet = async (): Promise<void> => {
    let seen = -1
    let since = Date.now()
    await until(
      () => {
        if (relay.requests.length === 0 || relay.requests.length !== seen || !relay.isIdle()) since = Date.now()
        seen = relay.requests.length
        return Date.now() - since
      },
      (ms) => ms >= QUIET_MS,
    )
  }
  await page.goto(`${site.url}/shoes`)
  return {
    page,
    host: prefix === '' ? relay.url : prefix,
    requests: relay.requests,
    complaints,
    quiet,
    leave: async () => {
      await page.goto(`${site.url}/empty`)
      await quiet()
    },
    close: async () => {
      await relay.close()
      await site.close()
    },
  }
}

/** One page, at every path, and an empty one; the service below `prefix`. */
const startSite = async (markup: PageMarkup, relay: Relay) => {
  const server = createServer((request, response) => {
    const url = request.url!
    if (markup.prefix !== undefined && url.startsWith(markup.prefix)) return relay.handle(request, response)
    response.setHeader('Content-Type', 'text/html')
    response.end(url === '/empty' ? '<!doctype html><title>Elsewhere</title>' : pageHtml(markup))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
