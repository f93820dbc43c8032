import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** How long a browser may cache a preflight response. Chromium caps it at two hours. */
const PREFLIGHT_MAX_AGE_SECONDS = '86400'

const ALLOWED_METHODS = 'GET, POST, PATCH, DELETE'

/** Response headers that pages may read. */
const EXPOSED_HEADERS = 'Allow, Content-Disposition, ETag, Retry-After, waymark-has-more'

/** Paths that need only a project's public key. All others must stay out of reach of a proxy's cookies. */
const PUBLIC_PATHS = new RegExp(
  String.raw`^/(?:i/v0/e|e|capture|track|batch|engage|s|decide|flags|array/[^/]*/config(?:\.js)?|` +
    String.raw`api/(?:surveys|early_access_features|web_experiments))/?(?:\?|$)`,
)

/**
 * Allows requests from pages of every origin and answers their preflights (https://fetch.spec.whatwg.org/#http-cors-protocol).
 * This is safe because the service never reads cookies, and private data needs a key in a header.
 */
export const allowCrossOrigin = (server: FastifyInstance): void => {
  server.addHook('onRequest', (request, reply, done) => {
    addOriginHeaders(request, reply)
    if (request.method === 'OPTIONS') sendPreflightResponse(request, reply)
    else done()
  })
}

/**
 * Browsers do not accept `*` for requests with credentials, which posthog-js sent until version 1.160
 * (https://fetch.spec.whatwg.org/#cors-protocol-and-credentials). So public paths name the origin.
 */
const addOriginHeaders = ({ url, headers: { origin } }: FastifyRequest, reply: FastifyReply): void => {
  if (PUBLIC_PATHS.test(url)) {
    reply.header('vary', 'Origin')
    if (origin === undefined) return
    reply.header('access-control-allow-origin', origin).header('access-control-allow-credentials', 'true')
  } else reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', EXPOSED_HEADERS)
}

const sendPreflightResponse = ({ headers }: FastifyRequest, reply: FastifyReply): void => {
  const requestedHeaders = headers['access-control-request-headers']
  if (requestedHeaders !== undefined) reply.header('access-control-allow-headers', requestedHeaders)
  reply
    .header('vary', 'Origin, Access-Control-Request-Headers')
    .header('access-control-allow-methods', ALLOWED_METHODS)
    .header('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS)
    // Without a length, Safari waits for a body.
    .header('content-length', '0')
    .status(204)
    .send()
}
