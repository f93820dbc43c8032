import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** How long a browser may remember a preflight's answer, in seconds; Chromium takes two hours of it. */
const PREFLIGHT_SECONDS = '86400'

const METHODS = 'GET, POST, PATCH, DELETE'

/** What a page may read of an answer beside its body. */
const EXPOSED = 'ETag, Retry-After'

/** What pages send and read with a project's public key alone. All else stays out of reach of a proxy's cookies. */
const PAGE_PATHS =
  /^\/(?:i\/v0\/e|e|capture|track|batch|engage|s|decide|flags|array\/[^/]*\/config(?:\.js)?|api\/(?:surveys|early_access_features|web_experiments))\/?(?:\?|$)/

/**
 * Lets pages of every origin ask, and answers their preflights (https://fetch.spec.whatwg.org/#http-cors-protocol): no cookie is
 * ever read, and what is private needs a key in a header.
 */
export const allowCrossOrigin = (server: FastifyInstance): void => {
  server.addHook('onRequest', (request, reply, done) => {
    allowOrigin(request, reply)
    if (request.method === 'OPTIONS') answerPreflight(request, reply)
    else done()
  })
}

/**
 * Senders that ask with credentials, as posthog-js did until version 1.160, get no answer through `*`
 * (https://fetch.spec.whatwg.org/#cors-protocol-and-credentials): their origin has to be named.
 */
const allowOrigin = ({ url, headers: { origin } }: FastifyRequest, reply: FastifyReply): void => {
  if (PAGE_PATHS.test(url)) {
    reply.header('vary', 'Origin')
    if (origin === undefined) return
    reply.header('access-control-allow-origin', origin).header('access-control-allow-credentials', 'true')
  } else reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', EXPOSED)
}

const answerPreflight = ({ headers }: FastifyRequest, reply: FastifyReply): void => {
  const asked = headers['access-control-request-headers']
  if (asked !== undefined) reply.header('access-control-allow-headers', asked)
  reply
    .header('vary', 'Origin, Access-Control-Request-Headers')
    .header('access-control-allow-methods', METHODS)
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    // Safari waits for a body where it is not told that there is none.
    .header('content-length', '0')
    .status(204)
    .send()
}
