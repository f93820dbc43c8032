import { PostHog } from 'posthog-js-lite'

window.PostHog = PostHog
