import { setImmediate as nextTurn } from 'node:timers/promises'
import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import { expect, it } from 'vitest'
import type { RequestContext, RequestContexts } from '../../src/port/request-context.ts'

const of = (distinctId: string): RequestContext => ({ distinctId })

/** Tests that every implementation of `RequestContexts` must pass. */
export const requestContextsContract = (create: () => RequestContexts): void => {
  it('has no context outside of a task', () => {
    expect(create().current()).toBeUndefined()
  })

  it('gives a task its context, and returns its result', () => {
    const contexts = create()
    const context = of('a')
    expect(contexts.run(context, () => contexts.current())).toBe(context)
    expect(contexts.current()).toBeUndefined()
  })

  it('restores the outer context after an inner task returns or throws', () => {
    const contexts = create()
    const seen = contexts.run(of('outer'), () => {
      const inner = contexts.run(of('inner'), () => contexts.current())
      const fail = () =>
        contexts.run(of('failing'), () => {
          throw new Error('of the task')
        })
      expect(fail).toThrow('of the task')
      return [inner, contexts.current()]
    })
    expect(seen).toEqual([of('inner'), of('outer')])
    expect(contexts.current()).toBeUndefined()
  })

  it('separates the contexts of several agents', () => {
    const [first, second] = [create(), create()]
    first.run(of('first'), () => {
      expect(second.current()).toBeUndefined()
      second.run(of('second'), () => expect([first.current(), second.current()]).toEqual([of('first'), of('second')]))
      expect([first.current(), second.current()]).toEqual([of('first'), undefined])
    })
  })

  it('never shows a waiting request the context of another request', async () => {
    const contexts = create()
    let seen: RequestContext | undefined
    const waiting = contexts.run(of('waiting'), async () => {
      await nextTurn()
      seen = contexts.current()
    })
    // Another request runs while the first one waits.
    contexts.run(of('busy'), () => undefined)
    await waiting
    expect([undefined, 'waiting']).toContain(seen?.distinctId)
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
  it('follows each of many interleaved requests through everything it awaits', async () => {
    const steps = array(constantFrom(...Object.keys(CONTINUATIONS)), { maxLength: 8 })
    await assert(
      asyncProperty(array(steps, { minLength: 2, maxLength: 8 }), async (requests) => {
        const contexts = create()
        const handle = async (kinds: string[], id: string): Promise<void> => {
          for (const kind of kinds) {
            await CONTINUATIONS[kind]!()
            expect(contexts.current()).toEqual(of(id))
            // A nested context ends with its task.
            await contexts.run(of(`nested ${id}`), async () => {
              await CONTINUATIONS[kind]!()
              expect(contexts.current()).toEqual(of(`nested ${id}`))
            })
            expect(contexts.current()).toEqual(of(id))
          }
        }
        await Promise.all(requests.map((kinds, index) => contexts.run(of(`${index}`), () => handle(kinds, `${index}`))))
        expect(contexts.current()).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('is kept by work that continues after the task has returned', async () => {
    const contexts = create()
    const seen = new Promise((resolve) => {
      contexts.run(of('a'), () => void setTimeout(() => setImmediate(() => resolve(contexts.current())), 1))
    })
    expect(await seen).toEqual(of('a'))
  })
}
