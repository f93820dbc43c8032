import express from 'express'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createExpressContext } from '../../../src/autocapture/node/express-context.ts'
import { createRequestContexts } from '../../../src/platform/web/request-contexts.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import { requestMiddlewareContract } from '../../contract/request-middleware.ts'
import type { RunningServer } from '../../contract/request-middleware.ts'
import { contextVerbs } from '../../support/context-verbs.ts'
import { sendRaw, formatRequest } from '../../support/send-raw.ts'

const run = async (app: express.Express): Promise<RunningServer> => {
  const server = await new Promise<Server>((resolve) => {
    const started: Server = app.listen(0, '127.0.0.1', () => resolve(started))
  })
  return { port: (server.address() as AddressInfo).port, close: () => new Promise((resolve) => server.close(resolve)) }
}

requestMiddlewareContract('express', (verbs, handle, outer) => {
  const app = express()
  if (outer) app.use((_request, _response, next) => verbs.withContext(outer, next))
  app.use(createExpressContext(verbs, createRequestContexts()))
  app.use(express.json())
  app.use((request, response) => void handle(request, response))
  return run(app)
})

describe('expressContext', () => {
  let server: RunningServer | undefined
  afterEach(() => server?.close())

  const readContexts = async (prepare: (app: express.Express) => void, mount: string, ...parts: readonly string[]) => {
    const verbs = contextVerbs()
    const contexts: (RequestContext | undefined)[] = []
    const app = express()
    prepare(app)
    app.use(mount, createExpressContext(verbs, createRequestContexts()), (_request, response) => {
      contexts.push(verbs.getContext())
      response.end()
    })
    server = await run(app)
    await sendRaw(server.port, ...parts)
    return contexts
  }

  it('respects the trusted proxies of the application', async () => {
    const forwarded = {
      'X-Forwarded-For': '192.0.2.7',
      'X-Forwarded-Host': 'shop.example',
      'X-Forwarded-Proto': 'https',
    }
    const parts = formatRequest('GET /a', { ...forwarded, Connection: 'close' })
    const [context] = await readContexts((app) => app.set('trust proxy', 'loopback'), '/', ...parts)
    expect(context?.properties).toMatchObject({ $ip: '192.0.2.7', $current_url: 'https://shop.example/a' })
  })

  it('reads the whole path when it is mounted below a path', async () => {
    const [context] = await readContexts(
      () => {},
      '/shop',
      ...formatRequest('GET /shop/shoes?size=44', { Connection: 'close' }),
    )
    expect(context?.properties).toMatchObject({
      $request_path: '/shop/shoes',
      $current_url: 'http://example.com:8080/shop/shoes?size=44',
    })
  })

  it('keeps the context in error handlers', async () => {
    const verbs = contextVerbs()
    const values: unknown[] = []
    const app = express()
    app.use(createExpressContext(verbs, createRequestContexts()))
    app.use(async () => {
      await Promise.resolve()
      throw new Error('handler failed')
    })
    app.use(((error: Error, _request, response, _next) => {
      values.push(error.message, verbs.getContext()?.distinctId)
      response.status(500).end()
    }) satisfies express.ErrorRequestHandler)
    server = await run(app)
    await sendRaw(server.port, ...formatRequest('GET /', { 'X-POSTHOG-DISTINCT-ID': 'a', Connection: 'close' }))
    expect(values).toEqual(['handler failed', 'a'])
  })
})
