import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, LaunchOptions } from 'playwright-core'
import { findChromium } from './chromium.mjs'

/**
 * No sandbox, because it does not start as root and in many containers, and the pages under test are our own; no talk with its
 * maker's hosts, which a closed network refuses many at a time; memory files in `/tmp`, because `/dev/shm` is small in containers.
 */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-breakpad',
]

/** How long a browser may take to say where it listens. */
const START_MS = 30_000

/** A browser with a profile that outlives it, as a process that the test owns. */
export interface OwnBrowser {
  readonly browser: Browser
  /** The profile's own context: its storage is what lies in the user data folder. */
  readonly context: BrowserContext
  /** Process id of the browser's main process, which is also its process group. */
  readonly pid: number
  /** Ends it as a crash or a power button does, with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** Ends it as a user does; resolves when it is gone. */
  close(): Promise<void>
}

/** Starts a browser with a fresh profile per context. The back/forward cache works, as it does for users. */
export const launch = (options: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({
    ...options,
    executablePath: options.executablePath ?? findChromium(),
    args: [...FLAGS, ...(options.args ?? [])],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })

/**
 * Starts a browser on a profile that stays in `userDataDir`, as a process of its own, so that a test can kill it and open the same
 * profile again.
 *
 * @param options.args Further flags of the browser.
 * @throws With the browser's last words when it ends, or does not listen within 30 s.
 */
export const launchPersistent = async (
  userDataDir: string,
  options: { readonly args?: readonly string[] } = {},
): Promise<OwnBrowser> => {
  const child = spawn(
    findChromium(),
    [
      '--headless',
      '--remote-debugging-port=0',
      `--user-data-dir=${userDataDir}`,
      ...FLAGS,
      ...(options.args ?? []),
      'about:blank',
    ],
    // A group of its own: the browser's helpers die with it.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  )
  const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  const kill = (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
    return gone
  }
  try {
    const browser = await chromium.connectOverCDP(await addressOf(child))
    const context = browser.contexts()[0]
    if (!context) throw new Error('The browser has no context of its own.')
    const session = await browser.newBrowserCDPSession()
    return {
      browser,
      context,
      pid: child.pid!,
      kill,
      async close() {
        // The connection ends with the browser, before the answer has come.
        await session.send('Browser.close').catch(() => undefined)
        await gone
      },
    }
  } catch (error) {
    await kill()
    throw error
  }
}

/** The address of a starting browser's debugging socket, which it prints. */
const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    const words: string[] = []
    const fail = (what: string): void => reject(new Error(`The browser ${what}.\n${words.slice(-10).join('\n')}`))
    const timer = setTimeout(() => fail(`did not listen within ${START_MS} ms`), START_MS)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      fail(`ended at once (${code ?? signal})`)
    })
    createInterface({ input: child.stderr! }).on('line', (line) => {
      words.push(line)
      const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
      if (!address) return
      clearTimeout(timer)
      resolve(address)
    })
  })
