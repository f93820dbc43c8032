import { PostHog } from 'posthog-js-lite-3'

window.PostHog = PostHog
