import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url))

/** The hosts of URLs that reach this machine from itself. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** What the page's script tag has in place of a key. */
const KEY_ATTRIBUTE = 'data-key="wm_…"'

/**
 * Registers the routes of the demo: the page with its script tag, its files below `/demo/`, the management client, and for another backend
 * the built scripts.
 *
 * @param {import('fastify').FastifyInstance} app
 * @param {{ host?: string, apiKey: string, projectId?: string, personalApiKey?: string }} options `host` defaults to the origin of the page.
 */
export const registerPage = async (app, { apiKey, ...config }) => {
  const backend = config.host === undefined ? '' : ` ${new URL(config.host).origin}`
  const headers = {
    // As strict as the policy of a strict site: no inline scripts, no eval, no HTML from strings.
    'content-security-policy':
      `default-src 'self'; connect-src 'self'${backend}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
      `object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
  }
  await app.register(fastifyStatic, {
    root: pathOf('page'),
    prefix: '/demo/',
    index: false,
    // The files change with each build, so the browser revalidates them.
    cacheControl: false,
    setHeaders(reply) {
      void reply.setHeader('cache-control', 'no-cache')
    },
  })

  // The service's own routes of the scripts let browsers keep them for minutes.
  app.addHook('onSend', async ({ url }, reply) => {
    if (/^\/waymark[-\w]*\.js(\?|$)/.test(url)) reply.header('cache-control', 'no-cache')
  })
  const serveFile = (url, name, root) => app.get(url, (_request, reply) => reply.headers(headers).sendFile(name, root))
  const attributes = { 'data-key': apiKey, ...(config.host !== undefined && { 'data-host': config.host }) }
  for (const url of ['/', '/maps/:kind'])
    app.get(url, async (_request, reply) => {
      const html = await readFile(pathOf('page/index.html'), 'utf8')
      return reply
        .type('text/html; charset=utf-8')
        .headers({ ...headers, 'cache-control': 'no-cache' })
        .send(html.replace(KEY_ATTRIBUTE, () => formatAttributes(attributes)))
    })
  serveFile('/numbers', 'numbers.html', pathOf('page'))
  // The service on this port serves the agent's scripts; another backend may have none.
  if (config.host !== undefined) {
    serveFile('/waymark.js', 'script.js', pathOf('../dist'))
    for (const name of ['waymark-debug.js', 'waymark-extras.js', 'waymark-lz64.js', 'waymark-tracing.js'])
      serveFile(`/${name}`, name, pathOf('../dist'))
  }
  serveFile('/demo/management.js', 'management.js', pathOf('../dist'))

  app.get('/demo/config.js', (request, reply) => {
    if (!isOwnPage(request.headers)) return reply.status(403).send({ detail: 'Only the demo page may read this file.' })
    return reply
      .type('text/javascript')
      .headers({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' })
      .send(`export const config = ${JSON.stringify(config)}\n`)
  })
}

const formatAttributes = (attributes) =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`)
    .join(' ')

/**
 * Returns whether a request comes from the demo page itself. The configuration contains a key that can read events, and any site can send
 * requests to 127.0.0.1. The check of `Host` rejects a site whose name resolves to 127.0.0.1 (DNS rebinding).
 */
const isOwnPage = ({ host = '', origin, 'sec-fetch-site': site = 'same-origin' }) =>
  LOOPBACK.test(host) && site === 'same-origin' && (origin === undefined || origin === `http://${host}`)
