import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createFastifyContext } from '../../../src/autocapture/node/fastify-context.ts'
import { createRequestContexts } from '../../../src/platform/web/request-contexts.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import { requestMiddlewareContract } from '../../contract/request-middleware.ts'
import type { RunningServer } from '../../contract/request-middleware.ts'
import { contextVerbs } from '../../support/context-verbs.ts'
import { sendRaw, formatRequest } from '../../support/send-raw.ts'

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

  it('respects the trusted proxies of the server', async () => {
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
    const response = await sendRaw(server.port, ...formatRequest('GET /a', { ...forwarded, Connection: 'close' }))
    expect(response).toContain('"$ip":"192.0.2.7"')
    expect(response).toContain('"$current_url":"https://shop.example/a"')
  })

  it('applies to all hooks and routes, also those of other plugins', async () => {
    const verbs = contextVerbs()
    const records: [string, RequestContext | undefined][] = []
    const record = (where: string) => void records.push([where, verbs.getContext()])
    const app = fastify()
    await app.register(createFastifyContext(verbs, createRequestContexts()))
    await app.register(async (plugin) => {
      for (const hook of ['preParsing', 'preValidation', 'preHandler', 'onSend', 'onResponse'] as const) {
        plugin.addHook(hook, async () => record(hook))
      }
      plugin.addHook('onError', async () => record('onError'))
      plugin.post('/shop/:item', async () => {
        record('handler')
        throw new Error('handler failed')
      })
    })
    server = await run(app)
    const [head, body] = formatRequest(
      'POST /shop/shoes',
      { 'X-POSTHOG-DISTINCT-ID': 'a', 'Content-Type': 'application/json', Connection: 'close' },
      '{"size":44}',
    )
    expect(await sendRaw(server.port, head, body.slice(0, 4), body.slice(4))).toMatch(/^HTTP\/1.1 500 /)
    expect(records.map(([where, context]) => [where, context?.distinctId])).toEqual(
      ['preParsing', 'preValidation', 'preHandler', 'handler', 'onError', 'onSend', 'onResponse'].map((where) => [
        where,
        'a',
      ]),
    )
  })
})
