import { expect, it } from 'vitest'
import { vector } from '../support/vector.ts'
import { fixture } from './flags-fixture.ts'

it('asks in the golden form and reads the golden answer', async () => {
  const identity = {
    distinct_id: 'user-1',
    $anon_distinct_id: 'anonymous-1',
    $device_id: 'device-1',
    groups: { company: 'acme' },
  }
  const page = fixture({ apiKey: 'wm_key' }, { identity })
  page.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
  page.flags.verbs.setGroupPropertiesForFlags({ company: { seats: 5 } }, false)
  page.answer = () => [200, vector('decide-answer')]
  await page.flags.verbs.reloadFeatureFlags()
  expect(page.bodies()).toEqual([vector('decide-request')])
  expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({
    flags: { checkout: true, button: 'blue', old: false },
    payloads: { button: { color: '#00f' } },
  })
  expect(page.flags.supportedCompression()).toEqual(['gzip', 'gzip-js', 'lz64', 'base64'])
})

it('reads the golden answer of the second generation', async () => {
  const page = fixture({ apiKey: 'wm_key', flagsApi: 'flags' })
  page.answer = () => [200, vector('flags-answer')]
  await page.flags.verbs.reloadFeatureFlags()
  expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({
    flags: { checkout: true, button: 'blue', old: false },
    payloads: { button: { color: '#00f' } },
  })
})
