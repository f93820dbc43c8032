import { setImmediate as nextTurn } from 'node:timers/promises'
import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import { expect, it } from 'vitest'
import type { RequestContext, RequestContexts } from '../../src/port/request-context.ts'

const contextOf = (distinctId: string): RequestContext => ({ distinctId })

/** Tests that every implementation of `RequestContexts` must pass. */
export const requestContextsContract = (create: () => RequestContexts): void => {
  it('has no context outside of a task', () => {
    expect(create().current()).toBeUndefined()
  })

  it('gives a task its context, and returns its result', () => {
    const contexts = create()
    const context = contextOf('a')
    expect(contexts.run(context, () => contexts.current())).toBe(context)
    expect(contexts.current()).toBeUndefined()
  })

  it('restores the outer context after an inner task returns or throws', () => {
    const contexts = create()
    const observed = contexts.run(contextOf('outer'), () => {
      const inner = contexts.run(contextOf('inner'), () => contexts.current())
      const fail = () =>
        contexts.run(contextOf('failing'), () => {
          throw new Error('of the task')
        })
      expect(fail).toThrow('of the task')
      return [inner, contexts.current()]
    })
    expect(observed).toEqual([contextOf('inner'), contextOf('outer')])
    expect(contexts.current()).toBeUndefined()
  })

  it('separates the contexts of several agents', () => {
    const [first, second] = [create(), create()]
    first.run(contextOf('first'), () => {
      expect(second.current()).toBeUndefined()
      second.run(contextOf('second'), () =>
        expect([first.current(), second.current()]).toEqual([contextOf('first'), contextOf('second')]),
      )
      expect([first.current(), second.current()]).toEqual([contextOf('first'), undefined])
    })
  })

  it('does not give a waiting request the context of another request', async () => {
    const contexts = create()
    let observed: RequestContext | undefined
    const waiting = contexts.run(contextOf('waiting'), async () => {
      await nextTurn()
      observed = contexts.current()
    })
    // Another request runs while the first request waits.
    contexts.run(contextOf('busy'), () => undefined)
    await waiting
    expect([undefined, 'waiting']).toContain(observed?.distinctId)
  })
}

/** How asynchronous code can continue. */
const CONTINUATIONS: Record<string, () => Promise<unknown>> = {
  promise: () => Promise.resolve(),
  'next tick': () => new Promise<void>((resolve) => process.nextTick(resolve)),
  microtask: () => new Promise<void>((resolve) => queueMicrotask(resolve)),
  timer: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
  turn: () => new Promise<void>((resolve) => setImmediate(resolve)),
}

/** Tests for runtimes that propagate contexts through asynchronous code. */
export const asyncContextsContract = (create: () => RequestContexts): void => {
  it('keeps the context of each interleaved request through its asynchronous work', async () => {
    const steps = array(constantFrom(...Object.keys(CONTINUATIONS)), { maxLength: 8 })
    await assert(
      asyncProperty(array(steps, { minLength: 2, maxLength: 8 }), async (requests) => {
        const contexts = create()
        const handle = async (kinds: string[], id: string): Promise<void> => {
          for (const kind of kinds) {
            await CONTINUATIONS[kind]!()
            expect(contexts.current()).toEqual(contextOf(id))
            // A nested context ends with its task.
            await contexts.run(contextOf(`nested ${id}`), async () => {
              await CONTINUATIONS[kind]!()
              expect(contexts.current()).toEqual(contextOf(`nested ${id}`))
            })
            expect(contexts.current()).toEqual(contextOf(id))
          }
        }
        await Promise.all(
          requests.map((kinds, index) => contexts.run(contextOf(`${index}`), () => handle(kinds, `${index}`))),
        )
        expect(contexts.current()).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('keeps the context in work that continues after the task has returned', async () => {
    const contexts = create()
    const observed = new Promise((resolve) => {
      contexts.run(contextOf('a'), () => void setTimeout(() => setImmediate(() => resolve(contexts.current())), 1))
    })
    expect(await observed).toEqual(contextOf('a'))
  })
}
