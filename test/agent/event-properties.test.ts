import { it } from 'vitest'
import { edgeContext, init } from '../../src/entry/node.ts'
import { createPhone } from '../support/phone.ts'
import { expectPropertyTable } from '../support/property-table.ts'
import type { WireEvent } from '../../src/wire/event.ts'

it('the README names the properties of events of a server', async () => {
  const events: WireEvent[] = []
  const open = (disableGeoip: boolean) =>
    init('key of a server', {
      host: 'https://waymark.test',
      disableCompression: true,
      disableGeoip,
      fetch: async (url, { body } = {}) => {
        if (!(url as string).endsWith('/batch/')) return Response.json({ featureFlags: { beta: true } })
        events.push(...(JSON.parse(body as string) as { readonly batch: WireEvent[] }).batch)
        return Response.json({ status: 1 })
      },
    })
  const bareAgent = open(false)
  bareAgent.capture({ distinctId: 'ada', event: 'bare' })
  await bareAgent.shutdown()
  const [bare] = events.splice(0)

  const agent = open(true)
  const handle = edgeContext(
    agent,
    async () => {
      const flags = await agent.evaluateFlags('ada')
      agent.capture({ event: 'without a user' })
      agent.capture({ distinctId: 'ada', event: 'rich', groups: { company: 'acme' }, flags })
      return new Response()
    },
    { ip: () => '203.0.113.7' },
  )
  const headers = { 'User-Agent': 'Mozilla/5.0', 'X-POSTHOG-SESSION-ID': 'visit-1' }
  await handle(new Request('https://shop.example/orders', { method: 'POST', headers }))
  await agent.shutdown()
  expectPropertyTable('server', bare!, events)
})

it('the README names the properties of events of an app', async () => {
  const phone = createPhone()
  phone.flags = { featureFlags: { beta: true }, featureFlagPayloads: {}, supportedCompression: ['gzip'] }
  const find = (name: string): WireEvent => [...phone.stored.values()].find(({ event }) => event === name)!
  const bareRun = phone.open()
  bareRun.agent.capture('bare')
  await bareRun.agent.flush()
  bareRun.kill()

  const run = phone.open({
    disableGeoip: true,
    platform: { OS: 'android', Version: 34, constants: { Manufacturer: 'Google', Model: 'Pixel 9', Release: '14' } },
    constants: {
      expoConfig: { name: 'Shop', version: '2.1', android: { versionCode: 37, package: 'com.example.shop' } },
    },
    dimensions: { get: () => ({ width: 412, height: 915 }) },
  })
  run.agent.group('company', 'acme')
  run.agent.screen('Home')
  await run.agent.reloadFeatureFlags()
  run.agent.capture('rich')
  await run.agent.flush()
  run.kill()
  const { $set_once: _, ...properties } = find('rich').properties
  expectPropertyTable('app', find('bare'), [{ properties }])
})
