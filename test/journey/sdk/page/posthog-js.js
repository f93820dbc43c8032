// As its makers tell their users to.
// oxlint-disable-next-line import/no-named-as-default
import posthog from 'posthog-js'

window.posthog = posthog
