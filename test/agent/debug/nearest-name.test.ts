import { expect, it } from 'vitest'
import { findNearestName } from '../../../src/agent/debug/nearest-name.ts'
import { NODE_OPTION_NAMES } from '../../../src/agent/node/options.ts'
import { OPTION_NAMES } from '../../../src/agent/option-names.ts'

it.each([
  ['api_host', 'host'],
  ['flush_at', 'flushAt'],
  ['flushIntervall', 'flushInterval'],
  ['person_profiles', 'personProfiles'],
  ['beforeSend', 'before_send'],
  ['ondrop', 'onDrop'],
  ['cross_subdomain_cookie', 'crossSubdomainCookie'],
  ['capture_pageview', 'capturePageview'],
  ['zebra', undefined],
  ['', undefined],
])('takes the browser option %j for %j', (name, nearestName) => {
  expect(findNearestName(name, OPTION_NAMES)).toBe(nearestName)
})

it('suggests only names of the list', () => {
  expect(findNearestName('secretKey', NODE_OPTION_NAMES)).toBe('personalApiKey')
  expect(findNearestName('secretKey', OPTION_NAMES)).toBeUndefined()
})
