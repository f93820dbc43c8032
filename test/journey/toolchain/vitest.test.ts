import { expect, it } from 'vitest'
import { createApp } from './create-app.ts'

const app = createApp('vitest')

it.each(['node', 'happy-dom', 'jsdom'])('works in Vitest with the environment %s', (environment) => {
  app.write({
    'shop.test.js': `
      import { init } from 'waymark'
      import { init as initNode } from 'waymark/node'
      import { createTestAgent } from 'waymark/testing'
      import { expect, test } from 'vitest'

      test('captures', async () => {
        const urls = []
        const fetch = async (url) => (urls.push(url), new Response('{"status":1}'))
        const options = { host: 'http://127.0.0.1:9', fetch, preloadFeatureFlags: false }
        const waymark = init('key', options)
        waymark.capture('opened')
        await waymark.flush()
        await waymark.shutdown()
        const server = initNode('key', options)
        server.capture({ distinctId: 'ada', event: 'paid' })
        await server.shutdown()
        expect(urls).toEqual(['http://127.0.0.1:9/batch/', 'http://127.0.0.1:9/batch/'])
        expect(createTestAgent({ flags: { beta: true } }).isFeatureEnabled('beta')).toBe(true)
      })`,
  })
  const output = app.run(
    'vitest/vitest.mjs',
    'run',
    '--environment',
    environment,
    '--root',
    app.folder,
    '--testTimeout=60000',
  )
  expect(output).toContain('1 passed')
})
