import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, LaunchOptions } from 'playwright-core'
import { findChromium } from './chromium.mjs'

/**
 * - No sandbox: it does not start as root and in many containers, and the tested pages are our own.
 * - No background requests to the vendor's hosts, which a closed network refuses.
 * - Shared memory in `/tmp`, because `/dev/shm` is small in containers.
 */
const BROWSER_FLAGS = [
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

/** How long a browser may take to print its debugging URL. */
const START_TIMEOUT_MS = 30_000

/** A browser with a persistent profile, as a process that the test can kill. */
export interface PersistentBrowser {
  readonly browser: Browser
  /** The default context of the profile, whose storage is in the user data folder. */
  readonly context: BrowserContext
  /** Process id of the browser's main process, which is also its process group. */
  readonly pid: number
  /** Kills the process with SIGKILL, as a crash does. Resolves when it has exited. */
  kill(): Promise<void>
  /** Closes the browser as a user does. Resolves when it has exited. */
  close(): Promise<void>
}

/** Starts a browser with a new profile per context. Its back/forward cache is enabled, as it is for users. */
export const launch = (options: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({
    ...options,
    executablePath: options.executablePath ?? findChromium(),
    args: [...BROWSER_FLAGS, ...(options.args ?? [])],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })

/**
 * Starts a browser process on the profile in `userDataDir`, so that a test can kill it and open the same profile again.
 *
 * @param options.args Further command-line flags of the browser.
 * @throws If the browser exits or does not listen within 30 s; the message contains its last output.
 */
export const launchPersistent = async (
  userDataDir: string,
  options: { readonly args?: readonly string[] } = {},
): Promise<PersistentBrowser> => {
  const child = spawn(
    findChromium(),
    [
      '--headless',
      '--remote-debugging-port=0',
      `--user-data-dir=${userDataDir}`,
      ...BROWSER_FLAGS,
      ...(options.args ?? []),
      'about:blank',
    ],
    // A process group of its own, so that the browser's child processes are killed with it.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  )
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  const kill = (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
    return exited
  }
  try {
    const browser = await chromium.connectOverCDP(await readDebuggingUrl(child))
    const context = browser.contexts()[0]
    if (!context) throw new Error('The browser has no default context.')
    const session = await browser.newBrowserCDPSession()
    return {
      browser,
      context,
      pid: child.pid!,
      kill,
      async close() {
        // The connection closes with the browser, before there is a response.
        await session.send('Browser.close').catch(() => undefined)
        await exited
      },
    }
  } catch (error) {
    await kill()
    throw error
  }
}

/** Reads the URL of the debugging socket from the output of a starting browser. */
const readDebuggingUrl = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    const output: string[] = []
    const fail = (problem: string): void =>
      reject(new Error(`The browser ${problem}.\n${output.slice(-10).join('\n')}`))
    const timer = setTimeout(() => fail(`did not listen within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      fail(`exited at start (${code ?? signal})`)
    })
    createInterface({ input: child.stderr! }).on('line', (line) => {
      output.push(line)
      const url = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
      if (!url) return
      clearTimeout(timer)
      resolve(url)
    })
  })
