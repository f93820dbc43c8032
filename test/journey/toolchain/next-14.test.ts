import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { createApp } from './create-app.ts'
import { removeFolder } from '../../support/remove-folder.ts'

const app = createApp('next-14')
let dataFolder: string
let service: RunningService
let server: ChildProcess | undefined

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'waymark-next-14-'))
  service = await startJourneyService(dataFolder)
})
afterAll(async () => {
  server?.kill('SIGKILL')
  await service?.kill()
  await removeFolder(dataFolder)
})

const setBeta = (active: boolean): void =>
  service.setFlags([{ key: 'beta', active, filters: { groups: [{ properties: [], rollout_percentage: 100 }] } }])

const READ = `import { init } from 'waymark/node'
  const waymark = init(process.env.WAYMARK_KEY!, { host: process.env.WAYMARK_HOST! })
  export const readBeta = async (user: string) => (await waymark.getFeatureFlag('beta', user)) ? 'beta is on' : 'beta is off'`

const PAGE = `import { readBeta } from '../flags'
  export default async function Page({ params }: { params: { user: string } }) {
    return <p>{await readBeta(params.user)}</p>
  }`

const ROUTE = `import { readBeta } from '../../flags'
  export const GET = async (_request: Request, { params }: { params: { user: string } }) => new Response(await readBeta(params.user))`

it('reads in Next.js 14 the flags of now, in pages and routes, on Node and on the edge', async () => {
  setBeta(true)
  app.write({
    'package.json': '{ "private": true }',
    'next.config.mjs': 'export default { experimental: { cpus: 1 } }',
    '.env': `WAYMARK_KEY=${service.apiKey}\nWAYMARK_HOST=${service.url}`,
    'app/layout.tsx':
      'export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>',
    'app/flags.ts': READ,
    'app/[user]/page.tsx': PAGE,
    'app/api/[user]/route.ts': ROUTE,
    'app/edge/[user]/route.ts': `${ROUTE}\nexport const runtime = 'edge'`,
  })
  app.run('next/dist/bin/next', 'build')
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
  const url = await until(
    () => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0],
    (printed) => printed !== undefined,
    60_000,
  )
  const readAll = (): Promise<readonly (string | undefined)[]> =>
    Promise.all(
      ['/ada', '/api/ada', '/edge/ada'].map(async (path) => {
        const body = await (await fetch(`${url}${path}`)).text()
        return /beta is (?:<!-- -->)?\w+/.exec(body)?.[0]
      }),
    )
  await until(readAll, (values) => values.every((value) => value === 'beta is on'), 60_000)
  setBeta(false)
  await expect.poll(readAll).toEqual(['beta is off', 'beta is off', 'beta is off'])
})
