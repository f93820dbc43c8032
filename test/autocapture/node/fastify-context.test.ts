import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createFastifyContext } from '../../../src/autocapture/node/fastify-context.ts'
import { createRequestContexts } from '../../../src/platform/edge/request-contexts.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import { requestMiddlewareContract } from '../../contract/request-middleware.ts'
import type { RunningServer } from '../../contract/request-middleware.ts'
import { contextVerbs } from '../../support/context-verbs.ts'
import { talk, written } from '../../support/talk.ts'

const run = async (app: FastifyInstance): Promise<RunningServer> => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

requestMiddlewareContract('fastify', async (verbs, handle, outer) => {
  const app = fastify()
  if (outer) app.addHook('onRequest', (_request, _reply, done) => verbs.withContext(outer, done))
  await app.register(createFastifyContext(verbs, createRequestContexts()))
  app.all('/*', async (request, reply) => {
    reply.hijack()
    await handle(request.raw, reply.raw)
  })
  return run(app)
})

describe('fastifyContext', () => {
  let server: RunningServer | undefined
  afterEach(() => server?.close())

  it('believes the proxies that the server trusts', async () => {
    const verbs = contextVerbs()
    const app = fastify({ trustProxy: 'loopback' })
    await app.register(createFastifyContext(verbs, createRequestContexts()))
    app.get('/a', async () => verbs.getContext())
    server = await run(app)
    const forwarded = {
      'X-Forwarded-For': '192.0.2.7',
      'X-Forwarded-Host': 'shop.example',
      'X-Forwarded-Proto': 'https',
    }
    const said = await talk(server.port, ...written('GET /a', { ...forwarded, Connection: 'close' }))
    expect(said).toContain('"$ip":"192.0.2.7"')
    expect(said).toContain('"$current_url":"https://shop.example/a"')
  })

  it('counts in every hook, and in routes of plugins that were registered beside it', async () => {
    const verbs = contextVerbs()
    const seen: [string, RequestContext | undefined][] = []
    const note = (what: string) => void seen.push([what, verbs.getContext()])
    const app = fastify()
    await app.register(createFastifyContext(verbs, createRequestContexts()))
    await app.register(async (within) => {
      for (const hook of ['preParsing', 'preValidation', 'preHandler', 'onSend', 'onResponse'] as const) {
        within.addHook(hook, async () => note(hook))
      }
      within.addHook('onError', async () => note('onError'))
      within.post('/shop/:item', async () => {
        note('handler')
        throw new Error('of the handler')
      })
    })
    server = await run(app)
    const [head, body] = written(
      'POST /shop/shoes',
      { 'X-POSTHOG-DISTINCT-ID': 'a', 'Content-Type': 'application/json', Connection: 'close' },
      '{"size":44}',
    )
    expect(await talk(server.port, head, body.slice(0, 4), body.slice(4))).toMatch(/^HTTP\/1.1 500 /)
    expect(seen.map(([what, context]) => [what, context?.distinctId])).toEqual(
      ['preParsing', 'preValidation', 'preHandler', 'handler', 'onError', 'onSend', 'onResponse'].map((w) => [w, 'a']),
    )
  })
})
