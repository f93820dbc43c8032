import * as fc from 'fast-check'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createRemoteConfig, createRemoteConfigScript } from '../../../src/service/remote-config/remote-config.ts'

const run = (script: string, window: Record<string, unknown> = {}): Record<string, unknown> => {
  runInNewContext(script, { window })
  return JSON.parse(JSON.stringify(window))
}

test('lists the features of the project, and disables unsupported ones', () => {
  expect(createRemoteConfig('wm_key', { hasFeatureFlags: true, hasSurveys: false })).toMatchObject({
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
  expect(createRemoteConfig('wm_key', { hasFeatureFlags: false, hasSurveys: true })).toMatchObject({
    hasFeatureFlags: false,
    surveys: true,
  })
})

test('creates a script that keeps the configs of other projects on the page', () => {
  const config = createRemoteConfig('wm_key', { hasFeatureFlags: true, hasSurveys: true })
  const otherConfigs = { _POSTHOG_REMOTE_CONFIG: { other: 1 } }
  expect(run(createRemoteConfigScript(config), otherConfigs)).toEqual({
    _POSTHOG_REMOTE_CONFIG: { other: 1, wm_key: { config, siteApps: [] } },
  })
})

test('escapes tokens that could end the script or its element', () => {
  const features = { hasFeatureFlags: false, hasSurveys: false }
  const hostileToken = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(`'];alert(1)//`, '</script><script>', '"\\', '\u2028\u2029'),
  )
  fc.assert(
    fc.property(hostileToken, (token) => {
      const script = createRemoteConfigScript(createRemoteConfig(token, features))
      expect(script).not.toMatch(/[<>\u2028\u2029]/)
      const { _POSTHOG_REMOTE_CONFIG } = run(script) as { _POSTHOG_REMOTE_CONFIG: Record<string, unknown> }
      // Assigning to `__proto__` creates no key.
      if (token !== '__proto__') expect(Object.keys(_POSTHOG_REMOTE_CONFIG)).toEqual([token])
    }),
  )
})
