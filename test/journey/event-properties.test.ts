import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { devices } from 'playwright-core'
import { expect, it } from 'vitest'
import type { WireEvent } from '../../src/wire/event.ts'
import { servePages } from '../support/page-server.ts'
import { expectPropertyTable } from '../support/property-table.ts'

const events: WireEvent[] = []

/** A site that takes the place of the service, so that nothing but the agent adds properties. */
const pages = servePages((request, response) => void answer(request, response))

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
  const { pathname } = new URL(request.url!, 'http://a.test')
  if (pathname === '/waymark.js') return response.end(await readFile('dist/script.js'))
  if (request.method === 'POST') {
    if (pathname === '/batch/')
      events.push(...(JSON.parse(await text(request)) as { readonly batch: WireEvent[] }).batch)
    return response.end(JSON.stringify({ featureFlags: { beta: true }, featureFlagPayloads: {}, status: 1 }))
  }
  const options = { disableCompression: true, disableGeoip: pathname === '/rich' }
  return response
    .setHeader('Content-Type', 'text/html')
    .end(`<script src="/waymark.js" data-key="key" data-options='${JSON.stringify(options)}'></script>`)
}

const find = (name: string): WireEvent => events.find(({ event }) => event === name)!

it('the README names the properties of events of a page', async () => {
  const page = await pages.context.newPage()
  await page.goto(`${pages.origin}/bare`)
  await page.evaluate(async () => {
    window.waymark!.capture('bare')
    await window.waymark!.flush()
  })

  const phone = await pages.browser.newContext(devices['iPhone 15'])
  const phonePage = await phone.newPage()
  await phonePage.goto(`${pages.origin}/rich?utm_source=newsletter`)
  await phonePage.evaluate(async () => {
    window.waymark!.group('company', 'acme')
    window.waymark!.screen('Home')
    await window.waymark!.reloadFeatureFlags()
    window.waymark!.capture('rich')
    await window.waymark!.flush()
  })
  await phone.close()
  expect(find('bare').properties).toMatchObject({ $browser: 'Chrome', $pathname: '/bare' })
  expectPropertyTable('page', find('bare'), [find('rich')])
})
