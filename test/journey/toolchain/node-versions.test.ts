import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApp } from './create-app.ts'

const app = createApp('node')

const PROGRAM = `
  const bodies = []
  const fetch = async (url, { body }) => (bodies.push(JSON.parse(body)), new Response('{"status":1}'))
  const options = { host: 'http://127.0.0.1:9', disableCompression: true, preloadFeatureFlags: false, fetch }
  // The agents' own timers never keep a process alive.
  const alive = setInterval(() => undefined, 1000)
  const run = async () => {
    const server = initNode('key', { ...options, persistenceDir: 'events' })
    server.capture({ distinctId: 'ada', event: 'paid' })
    await server.shutdown()
    // As a worker of a page has it: on a server the agent does nothing.
    globalThis.location = new URL('https://shop.test/')
    const page = init('key', options)
    page.capture('opened')
    await page.flush()
    await page.shutdown()
    clearInterval(alive)
    console.log(process.version.split('.')[0], bodies.flatMap(({ batch }) => batch.map(({ event }) => event)).join())
  }
  run()`

/** A page's module as a server loads it, with every call that would be noticed. */
const RENDERED_PAGE = `
  posthog.init('key', { api_host: 'http://127.0.0.1:9', persistence: 'localStorage+cookie' })
  posthog.capture('unseen', {}, { send_instantly: true })
  posthog.identify('ada')
  posthog.opt_out_capturing()
  posthog.onFeatureFlags(() => undefined)()
  posthog.startSessionRecording()
  console.log(typeof posthog.get_distinct_id(), posthog.isFeatureEnabled('beta'), posthog.has_opted_out_capturing())`

const [RUNNING] = process.versions.node.split('.')
/** Of Node. npm carries the binaries of the later ones. */
const VERSIONS = ['20', '22', '24', '26'].filter((version) => version !== '20' || version === RUNNING)

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('the agents on other versions of Node', () => {
  const findNode = (version: string): string =>
    version === '20' ? process.execPath : join(app.tools, `node_modules/node-${version}/bin/node`)

  it.each(VERSIONS)('work on Node %s, as a module and by require', (version) => {
    app.write({
      'use.mjs': `import { init } from 'waymark'\nimport { init as initNode } from 'waymark/node'\n${PROGRAM}`,
      'use.cjs': `const { init } = require('waymark')\nconst { init: initNode } = require('waymark/node')\n${PROGRAM}`,
    })
    for (const file of ['use.mjs', 'use.cjs'])
      expect(
        execFileSync(findNode(version), [file], { cwd: app.folder, encoding: 'utf8', timeout: 30_000, stdio: 'pipe' }),
      ).toBe(`v${version} paid,opened\n`)
  })

  it.each(VERSIONS)('load a page with the calls of posthog-js on Node %s without a trace', (version) => {
    app.write({
      'page.mjs': `import posthog from 'waymark/compat'\n${RENDERED_PAGE}`,
      'page.cjs': `const { posthog } = require('waymark/compat')\n${RENDERED_PAGE}`,
    })
    for (const file of ['page.mjs', 'page.cjs']) {
      const { stdout, stderr } = spawnSync(findNode(version), [file], {
        cwd: app.folder,
        encoding: 'utf8',
        timeout: 30_000,
      })
      expect([stdout, stderr]).toEqual(['string undefined true\n', ''])
    }
  })
})
