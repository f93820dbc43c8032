import { beforeAll, expect, it } from 'vitest'
import { linkReact } from '../../support/link-react.ts'
import { createApp } from './create-app.ts'

const app = createApp('vitest')
beforeAll(() => linkReact(app.folder))

it.each(['node', 'happy-dom', 'jsdom'])('works in Vitest with the environment %s', (environment) => {
  app.write({
    'shop.test.js': `
      import { init } from 'waymark'
      import { init as initFull } from 'waymark/full'
      import { init as initCapture } from 'waymark/capture'
      import posthog from 'waymark/compat'
      import { init as initEdge } from 'waymark/edge'
      import { compile } from 'waymark/evaluate'
      import { withExtras } from 'waymark/extras'
      import { importHistory } from 'waymark/import'
      import { createClient } from 'waymark/management'
      import { init as initNode } from 'waymark/node'
      import { useFeatureFlag } from 'waymark/react'
      import { init as initApp } from 'waymark/react-native'
      import { init as initAppEvaluate } from 'waymark/react-native/evaluate'
      import { createTestAgent } from 'waymark/testing'
      import { expect, test } from 'vitest'

      test('captures', async () => {
        // An agent of pages does nothing on a server.
        globalThis.location ??= new URL('https://shop.test/')
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
      })

      test('has every entry', () => {
        const entries = [initFull, initCapture, posthog.init, initEdge, compile, withExtras, importHistory, createClient, useFeatureFlag, initApp,
          initAppEvaluate]
        for (const entry of entries) expect(entry).toBeInstanceOf(Function)
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
  expect(output).toContain('2 passed')
})
