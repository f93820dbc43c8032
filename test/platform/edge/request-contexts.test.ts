import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RequestContexts } from '../../../src/port/request-context.ts'
import { followingContextsContract, requestContextsContract } from '../../contract/request-contexts.ts'

afterEach(() => vi.unstubAllGlobals())

/** As a process finds them that has just begun: what contexts are kept in is opened once. */
let begun: { readonly createRequestContexts: () => RequestContexts }
beforeEach(async () => {
  vi.resetModules()
  begun = await import('../../../src/platform/edge/request-contexts.ts')
})
const createRequestContexts = () => begun.createRequestContexts()

describe('contexts where AsyncLocalStorage is a global', () => {
  beforeEach(() => {
    vi.stubGlobal('AsyncLocalStorage', AsyncLocalStorage)
    vi.stubGlobal('process', { ...process, nextTick: process.nextTick, getBuiltinModule: undefined })
  })
  requestContextsContract(createRequestContexts)
  followingContextsContract(createRequestContexts)
})

describe('contexts where the runtime hands out its modules, as Node does', () => {
  requestContextsContract(createRequestContexts)
  followingContextsContract(createRequestContexts)
})

describe.each([
  ['there is no process', () => vi.stubGlobal('process', undefined)],
  ['it has no such module', () => vi.stubGlobal('process', { getBuiltinModule: () => undefined })],
  ['its global is no constructor', () => vi.stubGlobal('AsyncLocalStorage', {})],
])('contexts where %s', (_, prepare) => {
  beforeEach(prepare)
  requestContextsContract(createRequestContexts)

  it('ends with the synchronous part of a task', async () => {
    const contexts = createRequestContexts()
    const seen: unknown[] = []
    const task = contexts.run({ distinctId: 'a' }, async () => {
      seen.push(contexts.current()?.distinctId)
      await Promise.resolve()
      seen.push(contexts.current())
    })
    await task
    expect(seen).toEqual(['a', undefined])
  })
})

// Node 20 never forgets a storage that was used, and each makes every `await` of the process slower.
it('makes one storage for all agents and all middleware of a process, however many there are', async () => {
  let made = 0
  class Counted<T> extends AsyncLocalStorage<T> {
    constructor() {
      super()
      made++
    }
  }
  vi.stubGlobal('AsyncLocalStorage', Counted)
  const { edgeContext, httpContext, init } = await import('../../../src/entry/node.ts')
  for (let agent = 0; agent < 10; agent++) {
    const waymark = init('key', { host: 'http://127.0.0.1:9' })
    const answers = { http: () => waymark.getContext(), edge: () => waymark.getContext() }
    const headers = { 'x-posthog-distinct-id': `user-${agent}` }
    const request = { method: 'GET', url: '/', headers, socket: {} }
    expect(httpContext(waymark, answers.http)(request as never, {} as never)).toMatchObject({
      distinctId: `user-${agent}`,
    })
    expect(edgeContext(waymark, answers.edge)(new Request('http://x/', { headers }))).toMatchObject({
      distinctId: `user-${agent}`,
    })
  }
  expect(made).toBe(1)
})
