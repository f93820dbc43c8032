import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))

/** The names under which a browser on this machine reaches it. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/**
 * Adds the demo page to an app: the page, its files under `/demo/`, and the built script tag and stub.
 *
 * @param {import('fastify').FastifyInstance} app
 * @param {{ host?: string, apiKey: string, projectId?: string, personalApiKey?: string }} config What the page gets to know; no `host`
 *   means the page's own origin.
 */
export const addPage = async (app, config) => {
  const backend = config.host === undefined ? '' : ` ${new URL(config.host).origin}`
  const headers = {
    // Nothing inline, no eval, no HTML from strings: what a strict site demands of the agent, the demo demands of it too.
    'content-security-policy':
      `default-src 'self'; connect-src 'self'${backend}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
      `object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
  }
  await app.register(fastifyStatic, {
    root: path('page'),
    prefix: '/demo/',
    index: false,
    // The page changes with the next build: the browser asks each time, and mostly hears 304.
    cacheControl: false,
    setHeaders(reply) {
      void reply.setHeader('cache-control', 'no-cache')
    },
  })

  const file = (url, name, root) => app.get(url, (_request, reply) => reply.headers(headers).sendFile(name, root))
  for (const url of ['/', '/maps/:kind']) file(url, 'index.html', path('page'))
  file('/waymark.js', 'script.js', path('../dist'))
  file('/stub.js', 'stub.js', path('../dist'))

  app.get('/demo/config.js', (request, reply) => {
    if (!isOwnPage(request.headers))
      return reply.status(403).send({ detail: 'Only the demo page itself may read this.' })
    return reply
      .type('text/javascript')
      .headers({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' })
      .send(`export const config = ${JSON.stringify(config)}\n`)
  })
}

/**
 * The configuration holds a key that reads events. Any site may send requests to loopback and the service lets any origin read its
 * answers, so this asks who asks; the name in `Host` keeps out a site whose name was pointed at loopback (DNS rebinding).
 */
const isOwnPage = ({ host = '', origin, 'sec-fetch-site': site = 'same-origin' }) =>
  LOOPBACK.test(host) && site === 'same-origin' && (origin === undefined || origin === `http://${host}`)
