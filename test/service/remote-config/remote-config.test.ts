import * as fc from 'fast-check'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { remoteConfig, remoteConfigScript } from '../../../src/service/remote-config/remote-config.ts'

const run = (script: string, window: Record<string, unknown> = {}): Record<string, unknown> => {
  runInNewContext(script, { window })
  return JSON.parse(JSON.stringify(window))
}

test('says what the project has, and of all that the service has not that it is not there', () => {
  expect(remoteConfig('wm_key', { hasFeatureFlags: true, hasSurveys: false })).toMatchObject({
    token: 'wm_key',
    hasFeatureFlags: true,
    surveys: false,
    analytics: { endpoint: '/i/v0/e/' },
    elementsChainAsString: true,
    defaultIdentifiedOnly: true,
    autocapture_opt_out: false,
    sessionRecording: false,
    heatmaps: false,
    siteApps: [],
  })
  expect(remoteConfig('wm_key', { hasFeatureFlags: false, hasSurveys: true })).toMatchObject({
    hasFeatureFlags: false,
    surveys: true,
  })
})

test('as a script sets the same beside what other projects of the page have set', () => {
  const config = remoteConfig('wm_key', { hasFeatureFlags: true, hasSurveys: true })
  const others = { _POSTHOG_REMOTE_CONFIG: { other: 1 } }
  expect(run(remoteConfigScript(config), others)).toEqual({
    _POSTHOG_REMOTE_CONFIG: { other: 1, wm_key: { config, siteApps: [] } },
  })
})

test('lets no token end the script or its element', () => {
  const facts = { hasFeatureFlags: false, hasSurveys: false }
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(`'];alert(1)//`, '</script><script>', '"\\', '\u2028\u2029'),
  )
  fc.assert(
    fc.property(nasty, (token) => {
      const script = remoteConfigScript(remoteConfig(token, facts))
      expect(script).not.toMatch(/[<>\u2028\u2029]/)
      const { _POSTHOG_REMOTE_CONFIG } = run(script) as { _POSTHOG_REMOTE_CONFIG: Record<string, unknown> }
      // JavaScript's own name for what every object inherits from is no key that an assignment makes.
      if (token !== '__proto__') expect(Object.keys(_POSTHOG_REMOTE_CONFIG)).toEqual([token])
    }),
  )
})
