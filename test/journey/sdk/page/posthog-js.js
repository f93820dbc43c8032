// The default import, as the documentation of posthog-js shows it.
// oxlint-disable-next-line import/no-named-as-default
import posthog from 'posthog-js'

window.posthog = posthog
