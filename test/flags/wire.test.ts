import { expect, it } from 'vitest'
import { vector } from '../support/vector.ts'
import { fixture } from './flags-fixture.ts'

it('asks in the golden form and reads the golden answer', async () => {
  const page = fixture({ apiKey: 'wm_key' })
  page.identity = {
    distinctId: 'user-1',
    anonDistinctId: 'anonymous-1',
    deviceId: 'device-1',
    groups: { company: 'acme' },
  }
  page.flags.setPersonPropertiesForFlags({ plan: 'pro' }, { reload: false })
  page.flags.setGroupPropertiesForFlags({ company: { seats: 5 } }, { reload: false })
  page.answer = () => [200, vector('decide-answer')]
  await page.flags.reload()
  expect(page.bodies()).toEqual([vector('decide-request')])
  expect(page.flags.allWithPayloads()).toEqual({
    flags: { checkout: true, button: 'blue', old: false },
    payloads: { button: { color: '#00f' } },
  })
  expect(page.flags.supportedCompression()).toEqual(['gzip', 'lz64'])
})
