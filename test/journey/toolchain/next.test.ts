import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch } from '../../support/browser.ts'
import { fillIn, readBlocks, readFiles, RECIPES } from '../../support/readme-blocks.ts'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { createApp } from './create-app.ts'
import { removeFolder } from '../../support/remove-folder.ts'

const app = createApp('next')
let dataFolder: string
let service: RunningService
let browser: Browser
let server: ChildProcess | undefined

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'waymark-toolchain-'))
  service = await startJourneyService(dataFolder)
  browser = await launch()
})
afterAll(async () => {
  server?.kill('SIGKILL')
  await browser?.close()
  await service?.kill()
  await removeFolder(dataFolder)
})

/** A page of an app that has used posthog-js: a client component, which the server renders too. */
const MOVED_PAGE = `
  'use client'

  import posthog from 'waymark/compat'

  posthog.init(process.env.NEXT_PUBLIC_WAYMARK_KEY!, {
    api_host: process.env.NEXT_PUBLIC_WAYMARK_HOST!,
    autocapture: false,
    // A tested browser is a bot.
    opt_out_useragent_filter: true,
  })
  posthog.capture('page evaluated')

  export const dynamic = 'force-dynamic'

  export default function Page() {
    return (
      <button suppressHydrationWarning onClick={() => posthog.capture('bought after a move')}>
        {posthog.has_opted_out_capturing() ? 'Stopped' : 'Started'}
      </button>
    )
  }`

it('works in Next.js as the recipe says, on Node and on the edge, and in components that have used posthog-js', async () => {
  const files = readFiles(RECIPES, 'Next.js', service)
  const rewrites = readFiles(RECIPES, 'Next.js rewrites', service)
  const tag = readBlocks(RECIPES).find(({ section, language }) => section === 'Reverse proxy' && language === 'html')!
  app.write({
    ...files,
    'package.json': '{ "private": true }',
    'rewrites.mjs': rewrites['next.config.mjs']!,
    'next.config.mjs': `import recipe from './rewrites.mjs'
      export default { ...recipe, experimental: { cpus: 1 }, turbopack: { root: ${JSON.stringify(app.tools)} } }`,
    'public/rewritten.html': `<!doctype html><title>Shop</title><link rel="icon" href="data:,">${fillIn(tag.code, service)}`,
    'app/edge/route.ts': `${files['app/orders/route.ts']}\nexport const runtime = 'edge'`,
    'app/moved/page.tsx': MOVED_PAGE,
  })
  const buildOutput = app.run('next/dist/bin/next', 'build')

  server = spawn(
    process.execPath,
    [join(app.tools, 'node_modules/next/dist/bin/next'), 'start', '-p', '0', '-H', '127.0.0.1'],
    {
      cwd: app.folder,
      env: { PATH: process.env['PATH'], HOME: app.folder, NEXT_TELEMETRY_DISABLED: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (chunk: Buffer) => (output += chunk))
  const readUrl = (): string | undefined => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
  const url = await until(readUrl, (printed) => printed !== undefined, 60_000)
  const read = async (path: string, method = 'GET'): Promise<string> => {
    try {
      return await (await fetch(`${url}${path}`, { method })).text()
    } catch (error) {
      return String(error)
    }
  }
  await until(
    () => read('/'),
    (html) => html.includes('Buy'),
    60_000,
  )
  expect(await read('/orders', 'POST')).toBe('ordered')
  expect(await read('/edge', 'POST')).toBe('ordered')
  const page = await browser.newPage()
  await page.goto(`${url}/`)
  await page.getByText('Buy').click()
  await expect
    .poll(() => service.query(`select event, properties->>'$lib' from events where event <> '$pageview' order by 1, 2`))
    .toEqual([
      ['bought', 'waymark'],
      ['ordered', 'waymark-edge'],
      ['ordered', 'waymark-node'],
    ])

  const rewritten = await browser.newPage()
  const responses: string[] = []
  rewritten.on('response', (response) => responses.push(`${response.status()} ${new URL(response.url()).pathname}`))
  await rewritten.goto(`${url}/rewritten.html`)
  await rewritten.evaluate(() => {
    window.waymark!.capture('rewritten')
    return window.waymark!.flush()
  })
  await expect
    .poll(() => responses)
    .toEqual(expect.arrayContaining(['200 /ingest/waymark.js', '200 /ingest/batch/', '200 /ingest/decide/']))
  await expect.poll(() => service.query(`select event from events where event = 'rewritten'`)).toEqual([['rewritten']])

  // On the server the object of posthog-js is stopped, and says nothing.
  expect(await read('/moved')).toContain('Stopped')
  expect(buildOutput + output).not.toContain('[waymark]')
  await page.goto(`${url}/moved`)
  await page.getByRole('button').click()
  await expect
    .poll(() =>
      service.query(`select event from events where event in ('page evaluated', 'bought after a move') order by 1`),
    )
    .toEqual([['bought after a move'], ['page evaluated']])
}, 300_000)
