import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpContext } from '../../../src/autocapture/node/http-context.ts'
import { createRequestContexts } from '../../../src/platform/web/request-contexts.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import { requestMiddlewareContract } from '../../contract/request-middleware.ts'
import { contextVerbs } from '../../support/context-verbs.ts'
import { sendRaw, formatRequest } from '../../support/send-raw.ts'

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

requestMiddlewareContract('node:http', async (verbs, handle, outer) => {
  const inner = createHttpContext(verbs, createRequestContexts(), (request, response) => {
    request.resume().on('end', () => void handle(request, response))
  }) satisfies RequestListener
  const server = createServer((request, response) => {
    if (outer) verbs.withContext(outer, () => inner(request, response))
    else inner(request, response)
  })
  const port = await listen(server)
  return { port, close: () => close(server) }
})

describe('httpContext', () => {
  let server: Server | undefined
  afterEach(() => server && close(server))

  const readContexts = async (
    create: (record: () => void, verbs: ReturnType<typeof contextVerbs>) => RequestListener,
    ...parts: string[]
  ) => {
    const verbs = contextVerbs()
    const contexts: (RequestContext | undefined)[] = []
    server = createServer(create(() => void contexts.push(verbs.getContext()), verbs))
    await sendRaw(await listen(server), ...parts)
    return contexts
  }
  const [head] = formatRequest('GET /', { Connection: 'close', 'X-Real-IP': '192.0.2.7' })

  it('reads the IP address with the option `ip`', async () => {
    const [context] = await readContexts(
      (record, verbs) =>
        createHttpContext(
          verbs,
          createRequestContexts(),
          (_request, response) => {
            record()
            response.end()
          },
          { ip: ({ headers }) => headers['x-real-ip'] as string },
        ),
      head,
    )
    expect(context?.properties?.['$ip']).toBe('192.0.2.7')
  })

  it('calls the listener with an empty context if the option `ip` throws', async () => {
    const responses: unknown[] = []
    const [context] = await readContexts(
      (record, verbs) =>
        createHttpContext(
          verbs,
          createRequestContexts(),
          (_request, response) => {
            record()
            responses.push(response.end('ok'))
          },
          {
            ip: () => {
              throw new Error('option failed')
            },
          },
        ),
      head,
    )
    expect(responses).toHaveLength(1)
    expect(context).toEqual({ properties: {} })
  })

  it("returns the listener's result, and throws its errors", () => {
    const request = { headers: {}, socket: {} }
    const handle = (listener: () => unknown) =>
      createHttpContext(contextVerbs(), createRequestContexts(), listener)(request, {})
    expect(handle(() => 'result')).toBe('result')
    expect(() =>
      handle(() => {
        throw new Error('listener failed')
      }),
    ).toThrow('listener failed')
  })
})
