import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, LaunchOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launch } from './browser.ts'

/** A server and a browser for all tests of a file. Its properties are set from the first `beforeEach`. */
export interface PageServer {
  readonly port: number
  /** Origin of the server, without a slash at the end. */
  readonly origin: string
  readonly browser: Browser
  /** A new one for each test, with storage of its own. */
  readonly context: BrowserContext
}

/** Starts the server on a free port of 127.0.0.1, and the browser, before the tests of the file. Closes both after them. */
export const servePages = (answer: RequestListener, launchOptions?: LaunchOptions): PageServer => {
  const pages = {} as { -readonly [Name in keyof PageServer]: PageServer[Name] }
  const server = createServer(answer)
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    pages.port = (server.address() as AddressInfo).port
    pages.origin = `http://127.0.0.1:${pages.port}`
    pages.browser = await launch(launchOptions)
  })
  afterAll(async () => {
    await pages.browser?.close()
    server.closeAllConnections()
    server.close()
  })
  beforeEach(async () => {
    pages.context = await pages.browser.newContext()
  })
  afterEach(() => pages.context.close())
  return pages
}
