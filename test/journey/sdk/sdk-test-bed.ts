import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launch } from '../../support/browser.ts'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { startRecordingProxy } from './recording-proxy.ts'
import type { RecordedRequest, RecordingProxy } from './recording-proxy.ts'
import { removeFolder } from '../../support/remove-folder.ts'

/** The environment for pages with other vendors' SDKs: the service with a project, a site and a browser. */
export interface SdkTestBed {
  readonly service: RunningService
  /** Opens a page of the site in a new profile. */
  open(markup: PageMarkup): Promise<SdkPage>
  close(): Promise<void>
}

/** The content of a page of the site. */
export interface PageMarkup {
  /** Inline script in the head. */
  readonly head?: string
  /** Inline script at the end of the body. */
  readonly script?: string
  /** Path below which the site proxies the service, such as `/ingest`. Default: the service has its own origin. */
  readonly prefix?: string
  /**
   * Part of the path from which the SDK reads how to send events. The answer waits until the page has sent its first event: by itself the
   * SDK sends that one before or after the answer, as it happens.
   */
  readonly settingsPath?: string
}

/** A page with its own proxy to the service. */
export interface SdkPage {
  readonly page: Page
  /** URL of the service for the SDK's options. */
  readonly host: string
  /** Requests to the service. */
  readonly requests: readonly RecordedRequest[]
  /** Errors and warnings of the console, uncaught errors, and failed requests. */
  readonly consoleErrors: readonly string[]
  /** Navigates to a page without the SDK, and waits until all requests have responses. */
  leave(): Promise<void>
  /** Resolves when the page has sent a request, and then none for 300 ms. */
  waitUntilIdle(): Promise<void>
}

/**
 * Hides that the browser is automated, because SDKs drop events of bots. They detect `navigator.webdriver` and the user agent of a headless
 * browser. The user agent is a flag, because one set through the driver is lost when a page is left.
 */
const BROWSER_FLAGS = [
  '--disable-blink-features=AutomationControlled',
  '--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
]

/** How long a page must send no request to count as idle. */
const IDLE_MS = 1_000

const pageHtml = ({ head = '', script = '' }: PageMarkup): string => `<!doctype html><html><head><title>A shop</title>
<link rel="icon" href="data:,">${head && `<script>${inline(head)}</script>`}</head>
<body><h1>A shop</h1><button id="buy" class="big">Buy tea</button>${script && `<script>${inline(script)}</script>`}</body></html>`

const inline = (code: string): string => code.replaceAll('</script', '<\\/script')

/**
 * Starts the service and the browser.
 *
 * @param staticFolder Folder of the SDK scripts that the service serves.
 */
export const openSdkTestBed = async (staticFolder: string): Promise<SdkTestBed> => {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-sdk-'))
  const [service, browser] = await Promise.all([
    startJourneyService(folder, ['--static-folder', resolve(staticFolder)]),
    launch({ args: BROWSER_FLAGS }),
  ])
  await createProjectData(service)
  const closers: (() => Promise<unknown>)[] = []
  return {
    service,
    open: async (markup) => {
      const sdkPage = await openPage(browser, service, markup)
      closers.push(sdkPage.close)
      return sdkPage
    },
    close: async () => {
      await browser.close()
      for (const close of closers) await close()
      await service.kill()
      await removeFolder(folder)
    },
  }
}

/** Creates flags of each kind, an early access feature, and a survey. */
const createProjectData = async (service: RunningService): Promise<void> => {
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
  const { prefix = '', settingsPath } = markup
  const proxy = await startRecordingProxy(service.url, { prefix, heldPath: settingsPath })
  const site = await startSite(markup, proxy)
  const page = await browser.newPage()
  // Without this, posthog-js does not log most of its errors and warnings.
  await page.addInitScript(() => void Object.assign(globalThis, { POSTHOG_DEBUG: true }))
  const consoleErrors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(message.text())
  })
  page.on('pageerror', (error) => void consoleErrors.push(String(error)))
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // Chromium reports this for responses whose body is not read: posthog-js-lite reads only the status.
    if (reason !== 'net::ERR_ABORTED') consoleErrors.push(`${request.method()} ${request.url()} ${reason}`)
  })
  const waitUntilIdle = async (): Promise<void> => {
    let lastCount = -1
    let idleSince = Date.now()
    await until(
      () => {
        const count = proxy.requests.length
        if (count === 0 || count !== lastCount || !proxy.isIdle()) idleSince = Date.now()
        lastCount = count
        return Date.now() - idleSince
      },
      (ms) => ms >= IDLE_MS,
    )
  }
  await page.goto(`${site.url}/shoes`)
  return {
    page,
    host: prefix === '' ? proxy.url : prefix,
    requests: proxy.requests,
    consoleErrors,
    waitUntilIdle,
    leave: async () => {
      await page.goto(`${site.url}/empty`)
      await waitUntilIdle()
    },
    close: async () => {
      await proxy.close()
      await site.close()
    },
  }
}

/** Serves the page at every path, an empty page, and the service below `prefix`. */
const startSite = async (markup: PageMarkup, proxy: RecordingProxy) => {
  const server = createServer((request, response) => {
    const url = request.url!
    if (markup.prefix !== undefined && url.startsWith(markup.prefix)) return proxy.handle(request, response)
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
