import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RequestContexts } from '../../../src/port/request-context.ts'
import { asyncContextsContract, requestContextsContract } from '../../contract/request-contexts.ts'

afterEach(() => vi.unstubAllGlobals())

/** Loads the module as a new process does, because the storage is created only once. */
let loadedModule: { readonly createRequestContexts: () => RequestContexts }
beforeEach(async () => {
  vi.resetModules()
  loadedModule = await import('../../../src/platform/web/request-contexts.ts')
})
const createRequestContexts = () => loadedModule.createRequestContexts()

describe('contexts with a global AsyncLocalStorage', () => {
  beforeEach(() => {
    vi.stubGlobal('AsyncLocalStorage', AsyncLocalStorage)
    vi.stubGlobal('process', { ...process, nextTick: process.nextTick, getBuiltinModule: undefined })
  })
  requestContextsContract(createRequestContexts)
  asyncContextsContract(createRequestContexts)
})

describe('contexts with the AsyncLocalStorage of a built-in module', () => {
  requestContextsContract(createRequestContexts)
  asyncContextsContract(createRequestContexts)
})

describe.each([
  ['there is no process', () => vi.stubGlobal('process', undefined)],
  ['it has no such module', () => vi.stubGlobal('process', { getBuiltinModule: () => undefined })],
  ['its global is no constructor', () => vi.stubGlobal('AsyncLocalStorage', {})],
])('contexts where %s', (_, prepare) => {
  beforeEach(prepare)
  requestContextsContract(createRequestContexts)

  it('end with the synchronous part of a task', async () => {
    const contexts = createRequestContexts()
    const contextsInTask: unknown[] = []
    const task = contexts.run({ distinctId: 'a' }, async () => {
      contextsInTask.push(contexts.current()?.distinctId)
      await Promise.resolve()
      contextsInTask.push(contexts.current())
    })
    await task
    expect(contextsInTask).toEqual(['a', undefined])
  })
})

// Node 20 never frees a used storage, and each one makes every `await` of the process slower.
it('creates one storage for all agents and middleware of a process', async () => {
  let storageCount = 0
  class Counted<T> extends AsyncLocalStorage<T> {
    constructor() {
      super()
      storageCount++
    }
  }
  vi.stubGlobal('AsyncLocalStorage', Counted)
  const { edgeContext, httpContext, init } = await import('../../../src/entry/node.ts')
  for (let agent = 0; agent < 10; agent++) {
    const waymark = init('key', { host: 'http://127.0.0.1:9' })
    const handlers = { http: () => waymark.getContext(), edge: () => waymark.getContext() }
    const headers = { 'x-posthog-distinct-id': `user-${agent}` }
    const request = { method: 'GET', url: '/', headers, socket: {} }
    expect(httpContext(waymark, handlers.http)(request as never, {} as never)).toMatchObject({
      distinctId: `user-${agent}`,
    })
    expect(edgeContext(waymark, handlers.edge)(new Request('http://x/', { headers }))).toMatchObject({
      distinctId: `user-${agent}`,
    })
  }
  expect(storageCount).toBe(1)
})
