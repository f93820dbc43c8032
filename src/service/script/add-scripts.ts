import { chooseEncoding } from '../http/choose-encoding.ts'
import { matchesEtag } from '../http/matches-etag.ts'
import type { AddRoute, Handler } from '../http/route.ts'
import { readScripts } from './read-scripts.ts'
import type { Script } from './read-scripts.ts'

/** For how long a page may run the script of an older version. Then browsers revalidate it, and get 304 while it is unchanged. */
const CACHE_CONTROL = 'public, max-age=300'

/** Under the name with its hash, a script never changes. */
const IMMUTABLE_CACHE_CONTROL = 'public, max-age=31536000, immutable'

/**
 * Serves the agent to pages: `GET /waymark.js`, and beside it the files that it loads by its own URL (`waymark-debug.js`, …). Each has a
 * second name with a hash of its content. A hash of another version responds with 404.
 */
export const addScripts = (get: AddRoute): void => {
  for (const script of readScripts()) {
    get(
      [`/${script.name}`],
      createHandler(script, { 'cache-control': CACHE_CONTROL, 'content-location': script.hashedName }),
    )
    get([`/${script.hashedName}`], createHandler(script, { 'cache-control': IMMUTABLE_CACHE_CONTROL }))
  }
}

const createHandler =
  ({ hash, bodies }: Script, headers: Readonly<Record<string, string>>): Handler =>
  async (request, reply) => {
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    // Each coding is a representation of its own, so it has a strong tag of its own (RFC 9110, section 8.8.3.3).
    const etag = encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"`
    reply.headers({
      ...headers,
      etag,
      vary: 'Accept-Encoding',
      // For pages that allow only resources that allow them (`Cross-Origin-Embedder-Policy: require-corp`).
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type('text/javascript; charset=utf-8').send(bodies[encoding])
  }
