import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDemo } from '../support/demo.ts'
import type { RunningDemo } from '../support/demo.ts'

/** No server listens on this port. The demo serves its page even without the backend. */
const BACKEND = 'http://127.0.0.1:9'

let demo: RunningDemo

beforeAll(async () => {
  demo = await startDemo(['--host', `${BACKEND}/`, '--key', 'demo-key'])
}, 60_000)

afterAll(async () => {
  expect(await demo.stop()).toBe(0)
})

const requestConfig = (headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(`${demo.url}/demo/config.js`, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

test.each([
  [['--colour', 'red'], "Unknown option '--colour'"],
  [['--port', '70000'], '--port must be a whole number from 0 to 65535, not "70000".'],
  [['--host', 'analytics', '--key', 'k'], '--host must be a URL with http:// or https://, not "analytics".'],
  [['--host', 'https://analytics.example.com'], '--host needs --key, the project API key of that backend.'],
  [['--key', 'k'], '--key and --project need --host, the URL of another backend.'],
  [
    ['--host', 'https://analytics.example.com', '--key', 'k', '--project', '1'],
    '--project and --personal-key must be used together, to read events.',
  ],
])('rejects the options %j with one sentence, and prints the usage', async (args, sentence) => {
  await expect(startDemo(args)).rejects.toThrow(sentence)
  await expect(startDemo(args)).rejects.toThrow('--personal-key <key>')
})

test('configures the page and its script tag for another backend', async () => {
  expect(demo.output()).toContain(`Backend     ${BACKEND}   API key demo-key`)
  const script = await (await fetch(`${demo.url}/demo/config.js`)).text()
  expect(script).toBe(`export const config = {"host":"${BACKEND}"}\n`)
  const tag = `<script defer src="/waymark.js" data-key="demo-key" data-host="${BACKEND}"></script>`
  expect(await (await fetch(`${demo.url}/maps/coasts`)).text()).toContain(tag)
})

test('sends a policy that allows only the page and the backend, and nothing inline', async () => {
  const policy = (await fetch(`${demo.url}/maps/coasts`)).headers.get('content-security-policy')
  expect(policy).toContain(`default-src 'self'; connect-src 'self' ${BACKEND};`)
  expect(policy).not.toContain('unsafe')
})

test.each(['/waymark.js', '/demo/main.js', '/demo/management.js', '/demo/shop.css'])(
  'serves the file %s',
  async (path) => {
    const response = await fetch(demo.url + path)
    expect(response.status).toBe(200)
    expect((await response.text()).length).toBeGreaterThan(100)
  },
)

test('serves its configuration only to its own page', async () => {
  const { host } = new URL(demo.url)
  expect(await requestConfig({ Host: host, Origin: demo.url, 'Sec-Fetch-Site': 'same-origin' })).toBe(200)
  expect(await requestConfig({ Host: host, 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  expect(await requestConfig({ Host: host, Origin: 'https://example.com' })).toBe(403)
  expect(await requestConfig({ Host: 'rebound.example.com' })).toBe(403)
})
