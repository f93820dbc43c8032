import type { FastifyCorsOptions } from '@fastify/cors'

/** How long a browser may remember a preflight's answer; Chromium takes two hours of it. */
const PREFLIGHT_SECONDS = 86_400

// No cookie is ever read, so any origin may ask: what is private needs a key in a header.
const ANY: FastifyCorsOptions = {
  origin: '*',
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  exposedHeaders: ['ETag', 'Retry-After'],
  maxAge: PREFLIGHT_SECONDS,
  strictPreflight: false,
}

/**
 * Senders that ask with credentials, as posthog-js did until version 1.160, get no answer through `*`
 * (https://fetch.spec.whatwg.org/#cors-protocol-and-credentials): their origin has to be named.
 */
const WITH_CREDENTIALS: FastifyCorsOptions = { ...ANY, origin: true, credentials: true }

/** What pages send and read with a project's public key alone. All else stays out of reach of a proxy's cookies. */
const PAGE_PATHS =
  /^\/(?:i\/v0\/e|e|capture|track|batch|engage|s|decide|flags|array\/[^/]*\/config(?:\.js)?|api\/(?:surveys|early_access_features|web_experiments))\/?(?:\?|$)/

/** What a browser may do with the answer to a request for this address. */
export const crossOrigin = (url: string): FastifyCorsOptions => (PAGE_PATHS.test(url) ? WITH_CREDENTIALS : ANY)
