import { expect, it } from 'vitest'
import { getConsentName, getVisitorName } from '../../../src/agent/compat/storage-names.ts'

it('names where posthog-js stores a visitor by the project key', () => {
  expect(getVisitorName('phc_a', {})).toBe('ph_phc_a_posthog')
  expect(getVisitorName('a+b/c=', {})).toBe('ph_aPLbSLcEQ_posthog')
  expect(getConsentName('phc_a', {})).toBe('__ph_opt_in_out_phc_a')
})

it('names where posthog-js stores a visitor by options', () => {
  expect(getVisitorName('wm_a', { persistence_name: 'phc_a_posthog' })).toBe('ph_phc_a_posthog')
  expect(getConsentName('wm_a', { consent_persistence_name: 'consent' })).toBe('consent')
  expect(getConsentName('wm_a', { opt_out_capturing_cookie_prefix: 'optout_' })).toBe('optout_wm_a')
})
