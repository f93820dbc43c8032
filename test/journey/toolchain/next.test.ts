import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch } from '../../support/browser.ts'
import { findClosedPort } from '../../support/find-closed-port.ts'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { createApp } from './create-app.ts'

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
  rmSync(dataFolder, { recursive: true, force: true })
})

it('works in Next.js: in a client component, a route on Node and a route on the edge', async () => {
  const options = `'${service.apiKey}', { host: '${service.url}' }`
  const route = (runtime: string, event: string): string => `
    import { init } from 'waymark/node'
    export const runtime = '${runtime}'
    export const dynamic = 'force-dynamic'
    export async function GET(): Promise<Response> {
      const waymark = init(${options})
      waymark.capture({ distinctId: 'ada', event: '${event}' })
      await waymark.shutdown()
      return new Response('captured')
    }`
  app.write({
    'package.json': '{ "private": true }',
    'next.config.mjs': `export default { experimental: { cpus: 1 }, turbopack: { root: ${JSON.stringify(app.tools)} } }`,
    'app/layout.tsx': `
      import type { ReactNode } from 'react'
      export default function Layout({ children }: { children: ReactNode }) {
        return <html lang="en"><body>{children}</body></html>
      }`,
    'app/page.tsx': `
      import { Shop } from './shop'
      export default function Page() {
        return <Shop />
      }`,
    // Rendered on the server, too: there `init` runs without a page, and the test captures nothing.
    'app/shop.tsx': `'use client'
      import { useEffect } from 'react'
      import { init } from 'waymark'
      const waymark = init(${options})
      export function Shop() {
        useEffect(() => waymark.capture('client'), [])
        return <h1>A shop</h1>
      }`,
    'app/node/route.ts': route('nodejs', 'node route'),
    'app/edge/route.ts': route('edge', 'edge route'),
  })
  app.run('next/dist/bin/next', 'build')

  const url = await findClosedPort()
  server = spawn(
    process.execPath,
    [join(app.tools, 'node_modules/next/dist/bin/next'), 'start', '-p', new URL(url).port, '-H', '127.0.0.1'],
    {
      cwd: app.folder,
      env: { PATH: process.env['PATH'], HOME: app.folder, NEXT_TELEMETRY_DISABLED: '1' },
      stdio: 'ignore',
    },
  )
  const read = async (path: string): Promise<string> => {
    try {
      return await (await fetch(`${url}${path}`)).text()
    } catch (error) {
      return String(error)
    }
  }
  await until(
    () => read('/'),
    (html) => html.includes('A shop'),
    60_000,
  )
  expect(await read('/node')).toBe('captured')
  expect(await read('/edge')).toBe('captured')
  const page = await browser.newPage()
  await page.goto(`${url}/`)
  await expect
    .poll(() => service.query(`select event, properties->>'$lib' from events where event <> '$pageview' order by 1`))
    .toEqual([
      ['client', 'waymark'],
      ['edge route', 'waymark-edge'],
      ['node route', 'waymark-node'],
    ])
}, 300_000)
