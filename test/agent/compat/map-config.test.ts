import { describe, expect, it } from 'vitest'
import { mapConfig } from '../../../src/agent/compat/map-config.ts'
import type { PostHogConfig } from '../../../src/agent/compat/posthog.ts'

const optionsOf = (config: PostHogConfig) => mapConfig('phc_a', config).options
const lackingOf = (config: PostHogConfig) => mapConfig('phc_a', { autocapture: false, ...config }).lacking

describe('mapConfig', () => {
  it('has the defaults of posthog-js', () => {
    const { options, lacking, hooks } = mapConfig('phc_a', {})
    expect(options).toMatchObject({
      host: undefined,
      crossSubdomainCookie: true,
      captureBots: false,
      defaultOptIn: true,
      preloadFeatureFlags: true,
    })
    expect(hooks).toEqual([])
    expect(lacking).toEqual(['autocapture'])
  })

  it('translates options', () => {
    const config = {
      api_host: 'https://a.test',
      persistence: 'localStorage',
      cross_subdomain_cookie: false,
      person_profiles: 'always',
      opt_out_capturing_by_default: true,
      opt_out_useragent_filter: true,
      respect_dnt: true,
      advanced_disable_feature_flags_on_first_load: true,
      request_batching: false,
      request_queue_config: { flush_interval_ms: 500 },
      session_idle_timeout_seconds: 600,
      disable_compression: true,
      debug: true,
      bootstrap: { distinctID: 'ada', isIdentifiedID: true, sessionID: 's', featureFlags: { beta: true } },
    } as const
    expect(optionsOf(config)).toMatchObject({
      host: 'https://a.test',
      persistence: 'localStorage',
      crossSubdomainCookie: false,
      personProfiles: 'always',
      defaultOptIn: false,
      captureBots: true,
      respectDnt: true,
      preloadFeatureFlags: false,
      flushAt: 1,
      flushInterval: 500,
      sessionIdleTimeoutSeconds: 600,
      disableCompression: true,
      debug: true,
      bootstrap: { distinctId: 'ada', isIdentifiedId: true, sessionID: 's', featureFlags: { beta: true } },
    })
    expect(lackingOf(config)).toEqual([])
  })

  it('has no bootstrapped flags when the page bootstraps only an id', () => {
    expect(optionsOf({ bootstrap: { distinctID: 'ada' } }).bootstrap).not.toHaveProperty('featureFlags')
  })

  it.each([
    [{ disable_persistence: true }, { persistence: 'memory', defaultOptIn: true }],
    [{ disable_cookie: true }, { persistence: 'memory', defaultOptIn: true }],
    [{ persistence: 'localstorage' as never }, { persistence: 'localStorage' }],
    [{ persistence: 'SessionStorage' as never }, { persistence: 'sessionStorage' }],
    [{ cookieless_mode: 'always' }, { persistence: 'memory', defaultOptIn: true }],
    [{ cookieless_mode: 'on_reject' }, { persistence: undefined, defaultOptIn: false }],
  ] as const)('stores no more than %j asks for', (config, expected) => {
    expect(optionsOf(config)).toMatchObject(expected)
  })

  it.each([
    [{}, [true, false, true]],
    [{ capture_pageview: true, defaults: '2025-05-24' }, [true, false, true]],
    [{ defaults: '2025-05-23' }, [true, false, true]],
    [{ defaults: '2025-05-24' }, [true, true, true]],
    [{ capture_pageview: { path: true } }, [true, true, true]],
    [{ capture_pageview: false, defaults: '2025-05-24' }, [false, true, false]],
    [{ capture_pageview: false, capture_pageleave: true }, [false, true, true]],
    [{ capture_pageleave: false }, [true, false, false]],
  ] as const)('captures page views and leaves as %j says', (config, expected) => {
    const { hasPageview, hasNavigations, hasPageleave } = mapConfig('phc_a', config)
    expect([hasPageview, hasNavigations, hasPageleave]).toEqual(expected)
  })

  it.each(['advanced_disable_flags', 'advanced_disable_decide', 'advanced_disable_feature_flags'])(
    'has no flags with %s',
    (name) => {
      expect([mapConfig('phc_a', { [name]: true }).hasFlags, mapConfig('phc_a', {}).hasFlags]).toEqual([false, true])
    },
  )

  it.each([
    [{}, false],
    [{ opt_out_persistence_by_default: true }, true],
    [{ cookieless_mode: 'on_reject' }, true],
  ] as const)('with %j, it is %s that an opt-out forgets the visitor', (config, clear) => {
    expect(mapConfig('phc_a', config).clear).toBe(clear)
  })

  it('denies properties by the older name, too', () => {
    const { hooks } = mapConfig('phc_a', { property_blacklist: ['a'], property_denylist: ['b'] })
    const event = { uuid: 'u', event: 'e', distinct_id: 'd', timestamp: '', properties: { a: 1, b: 2, c: 3 } }
    expect(hooks[0]!(event)!.properties).toEqual({ c: 3 })
  })

  it('names where posthog-js stores a visitor', () => {
    const namesOf = (config: PostHogConfig) => {
      const { visitorName, consentName } = mapConfig('phc_a', config)
      return [visitorName, consentName]
    }
    expect(namesOf({})).toEqual(['ph_phc_a_posthog', '__ph_opt_in_out_phc_a'])
    expect(namesOf({ persistence_name: 'old', consent_persistence_name: 'consent' })).toEqual(['ph_old', 'consent'])
    expect(namesOf({ cookie_name: 'old' })[0]).toBe('ph_old')
    expect(namesOf({ opt_out_capturing_cookie_prefix: 'optout_' })[1]).toBe('optout_phc_a')
  })

  it('names options that ask for what the agent lacks', () => {
    const config = {
      autocapture: { dom_event_allowlist: ['click'] },
      session_recording: {},
      capture_heatmaps: true,
      mask_personal_data_properties: true,
      disable_capture_url_hashes: true,
      save_referrer: false,
      advanced_enable_surveys: true,
      typo: 1,
    } as const
    expect([...lackingOf(config)].sort()).toEqual(Object.keys(config).sort())
  })

  it('does not name options that switch off what the agent lacks', () => {
    const config = {
      ui_host: 'https://app.test',
      defaults: '2025-05-24',
      disable_session_recording: true,
      disable_surveys: false,
      advanced_disable_flags: true,
      mask_all_text: true,
      advanced_disable_feature_flags: true,
      capture_exceptions: false,
      save_referrer: true,
      get_current_url: undefined,
      cookieless_mode: 'on_reject',
    } as const
    expect(lackingOf(config)).toEqual([])
  })
})
