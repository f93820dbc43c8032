import { beforeAll, expect, it } from 'vitest'
import { linkReact } from '../../support/link-react.ts'
import { createApp } from './create-app.ts'

const app = createApp('jest')
beforeAll(() => linkReact(app.folder))

it('works in Jest with its default configuration', () => {
  app.write({
    'package.json': '{}',
    'shop.test.js': `
      const { init: initPage } = require('waymark')
      const { init: initFull } = require('waymark/full')
      const { init: initCapture, surveys } = require('waymark/capture')
      const { createClient } = require('waymark/management')
      const { compile } = require('waymark/evaluate')
      const { init } = require('waymark/node')
      const { init: initEdge } = require('waymark/edge')
      const { withExtras } = require('waymark/extras')
      const { importHistory } = require('waymark/import')
      const { init: initApp } = require('waymark/react-native')
      const { init: initAppEvaluate } = require('waymark/react-native/evaluate')
      const { useFeatureFlag } = require('waymark/react')
      const { posthog } = require('waymark/compat')
      const { createTestAgent } = require('waymark/testing')

      test('captures on a server', async () => {
        const bodies = []
        const fetch = async (url, { body }) => (bodies.push(body), new Response('{"status":1}'))
        const waymark = init('key', { host: 'http://127.0.0.1:9', fetch, disableCompression: true })
        waymark.capture({ distinctId: 'ada', event: 'paid' })
        await waymark.shutdown()
        expect(JSON.parse(bodies[0]).batch.map(({ event }) => event)).toEqual(['paid'])
      })

      test('captures as a page does', async () => {
        globalThis.location ??= new URL('https://shop.test/')
        const urls = []
        const fetch = async (url) => (urls.push(url), new Response('{"status":1}'))
        const waymark = initPage('key', { host: 'http://127.0.0.1:9', fetch, preloadFeatureFlags: false })
        waymark.capture('opened')
        await waymark.flush()
        waymark.shutdown()
        expect(urls).toContain('http://127.0.0.1:9/batch/')
      })

      test('has every entry', () => {
        const entries = [initFull, initCapture, surveys.create, createClient, compile, initEdge, withExtras, importHistory, initApp, initAppEvaluate,
          useFeatureFlag, posthog.init]
        for (const entry of entries) expect(entry).toBeInstanceOf(Function)
        expect(createTestAgent({ flags: { beta: true } }).isFeatureEnabled('beta')).toBe(true)
      })`,
  })
  const report = app.run(
    'jest/bin/jest.js',
    '--rootDir',
    app.folder,
    '--ci',
    '--runInBand',
    '--json',
    '--testTimeout=60000',
  )
  expect(JSON.parse(report)).toMatchObject({ numPassedTests: 3, success: true })
})
