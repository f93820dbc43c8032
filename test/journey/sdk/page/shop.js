// A site that uses most calls of posthog-js. Its tests bundle it with that package, and with `waymark/compat` in its place.
// oxlint-disable-next-line import/no-named-as-default
import posthog from 'posthog-js'

const flagsLoaded = () => new Promise((resolve) => void posthog.onFeatureFlags(resolve))

window.shop = {
  posthog,

  open(key, options) {
    posthog.init(key, {
      autocapture: false,
      disable_session_recording: true,
      person_profiles: 'identified_only',
      property_denylist: ['secret'],
      before_send: (event) => (event.event === 'dropped' ? null : event),
      loaded: (instance) => instance.register_once({ first_page: location.pathname }),
      ...options,
    })
    posthog.register({ app: 'shop', version: 2 })
  },

  async visit(user) {
    const anonymous = posthog.get_distinct_id()
    await flagsLoaded()
    const values = [
      posthog.getFeatureFlag('button'),
      posthog.isFeatureEnabled('beta'),
      posthog.getFeatureFlagPayload('button'),
    ]
    posthog.capture('looked', { item: 'tea', tags: ['grün', '日本'], secret: 'x' })
    posthog.capture('dropped')
    posthog.identify(user, { email: `${user}@example.com` }, { first_seen: 'today' })
    posthog.setPersonProperties({ plan: 'pro' }, { source: 'ad' })
    posthog.people.set({ city: 'Berlin' })
    posthog.group('company', `acme-${user}`, { seats: 5 })
    posthog.unregister('version')
    posthog.capture('bought', { price: 2.5 }, { $set: { bought: true }, $set_once: { first_item: 'tea' } })
    posthog.opt_out_capturing()
    posthog.capture('unseen')
    const consent = [posthog.has_opted_out_capturing(), posthog.get_explicit_consent_status()]
    posthog.opt_in_capturing({ captureEventName: 'agreed', captureProperties: { to: 'all' } })
    posthog.resetGroups()
    posthog.capture('alone')
    posthog.reset()
    posthog.capture('after reset')
    return { anonymous, afterReset: posthog.get_distinct_id(), values: [...values, ...consent] }
  },
}
