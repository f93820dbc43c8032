import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { edgeContexts } from '../../../src/platform/server/contexts.ts'
import { followingContextsContract, requestContextsContract } from '../../contract/request-contexts.ts'

afterEach(() => vi.unstubAllGlobals())

describe('contexts where AsyncLocalStorage is a global', () => {
  beforeEach(() => {
    vi.stubGlobal('AsyncLocalStorage', AsyncLocalStorage)
    vi.stubGlobal('process', { ...process, nextTick: process.nextTick, getBuiltinModule: undefined })
  })
  requestContextsContract(edgeContexts)
  followingContextsContract(edgeContexts)
})

describe('contexts where the runtime hands out its modules', () => {
  requestContextsContract(edgeContexts)
  followingContextsContract(edgeContexts)
})

describe.each([
  ['there is no process', () => vi.stubGlobal('process', undefined)],
  ['it has no such module', () => vi.stubGlobal('process', { getBuiltinModule: () => undefined })],
  ['its global is no constructor', () => vi.stubGlobal('AsyncLocalStorage', {})],
])('contexts where %s', (_, prepare) => {
  beforeEach(prepare)
  requestContextsContract(edgeContexts)

  it('ends with the synchronous part of a task', async () => {
    const contexts = edgeContexts()
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
