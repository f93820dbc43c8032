// Golden requests and responses are files in test/vector, which the service reads too.
import { expect, it } from 'vitest'
import { vector } from '../support/vector.ts'
import { createFixture } from './flags-fixture.ts'

it('sends the golden request to /decide and parses the golden response', async () => {
  const identity = {
    distinct_id: 'user-1',
    $anon_distinct_id: 'anonymous-1',
    $device_id: 'device-1',
    groups: { company: 'acme' },
  }
  const page = createFixture({ apiKey: 'wm_key' }, { identity })
  page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
  page.flags.verbs.setGroupPropertiesForFlags({ company: { seats: 5 } }, false)
  page.respond = () => [200, vector('decide-response')]
  await page.flags.verbs.reloadFeatureFlags()
  expect(page.bodies()).toEqual([vector('decide-request')])
  expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({
    flags: { checkout: true, button: 'blue', old: false },
    payloads: { button: { color: '#00f' } },
  })
  expect(page.flags.supportedCompression()).toEqual(['gzip', 'gzip-js', 'lz64', 'base64'])
})

it('parses the golden response of /flags', async () => {
  const page = createFixture({ apiKey: 'wm_key', flagsApi: 'flags' })
  page.respond = () => [200, vector('flags-response')]
  await page.flags.verbs.reloadFeatureFlags()
  expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({
    flags: { checkout: true, button: 'blue', old: false },
    payloads: { button: { color: '#00f' } },
  })
})
