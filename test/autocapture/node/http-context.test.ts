import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpContext } from '../../../src/autocapture/node/http-context.ts'
import { createRequestContexts } from '../../../src/platform/edge/request-contexts.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import { requestMiddlewareContract } from '../../contract/request-middleware.ts'
import { contextVerbs } from '../../support/context-verbs.ts'
import { talk, written } from '../../support/talk.ts'

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

  const ask = async (
    create: (note: () => void, verbs: ReturnType<typeof contextVerbs>) => RequestListener,
    ...parts: string[]
  ) => {
    const verbs = contextVerbs()
    const seen: (RequestContext | undefined)[] = []
    server = createServer(create(() => void seen.push(verbs.getContext()), verbs))
    await talk(await listen(server), ...parts)
    return seen
  }
  const [head] = written('GET /', { Connection: 'close', 'X-Real-IP': '192.0.2.7' })

  it('asks whoever knows the proxy for the address', async () => {
    const [context] = await ask(
      (note, verbs) =>
        createHttpContext(
          verbs,
          createRequestContexts(),
          (_request, response) => {
            note()
            response.end()
          },
          { ip: ({ headers }) => headers['x-real-ip'] as string },
        ),
      head,
    )
    expect(context?.properties?.['$ip']).toBe('192.0.2.7')
  })

  it('handles a request of which nothing can be read', async () => {
    const said: unknown[] = []
    const [context] = await ask(
      (note, verbs) =>
        createHttpContext(
          verbs,
          createRequestContexts(),
          (_request, response) => {
            note()
            said.push(response.end('answered'))
          },
          {
            ip: () => {
              throw new Error('of the option')
            },
          },
        ),
      head,
    )
    expect(said).toHaveLength(1)
    expect(context).toEqual({ properties: {} })
  })

  it('answers what the listener answers, and throws what it throws', () => {
    const request = { headers: {}, socket: {} }
    const answer = (listener: () => unknown) =>
      createHttpContext(contextVerbs(), createRequestContexts(), listener)(request, {})
    expect(answer(() => 'answer')).toBe('answer')
    expect(() =>
      answer(() => {
        throw new Error('of the listener')
      }),
    ).toThrow('of the listener')
  })
})
