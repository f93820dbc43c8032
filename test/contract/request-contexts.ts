import { setImmediate as nextTurn } from 'node:timers/promises'
import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import { expect, it } from 'vitest'
import type { RequestContext, RequestContexts } from '../../src/port/request-context.ts'

const of = (distinctId: string): RequestContext => ({ distinctId })

/** What everybody may expect of contexts: while a task runs, they are its own. */
export const requestContextsContract = (create: () => RequestContexts): void => {
  it('has no context outside of any', () => {
    expect(create().current()).toBeUndefined()
  })

  it('gives a task its context, and answers what the task answers', () => {
    const contexts = create()
    const context = of('a')
    expect(contexts.run(context, () => contexts.current())).toBe(context)
    expect(contexts.current()).toBeUndefined()
  })

  it('goes back to the outer context after an inner one, thrown out of it or not', () => {
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

  it('keeps the contexts of several agents apart', () => {
    const [one, other] = [create(), create()]
    one.run(of('one'), () => {
      expect(other.current()).toBeUndefined()
      other.run(of('other'), () => expect([one.current(), other.current()]).toEqual([of('one'), of('other')]))
      expect([one.current(), other.current()]).toEqual([of('one'), undefined])
    })
  })

  it('shows a request that waits no context of another', async () => {
    const contexts = create()
    let seen: RequestContext | undefined
    const waiting = contexts.run(of('waiting'), async () => {
      await nextTurn()
      seen = contexts.current()
    })
    // Its turn comes while another request runs.
    contexts.run(of('busy'), () => undefined)
    await waiting
    expect([undefined, 'waiting']).toContain(seen?.distinctId)
  })
}

/** The ways in which a task may go on later. */
const WAYS: Record<string, () => Promise<unknown>> = {
  promise: () => Promise.resolve(),
  'next tick': () => new Promise<void>((resolve) => process.nextTick(resolve)),
  microtask: () => new Promise<void>((resolve) => queueMicrotask(resolve)),
  timer: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
  turn: () => new Promise<void>((resolve) => setImmediate(resolve)),
}

/** What may be expected where the runtime carries contexts along. */
export const followingContextsContract = (create: () => RequestContexts): void => {
  it('follows each of many interleaved requests through all that it awaits', async () => {
    const steps = array(constantFrom(...Object.keys(WAYS)), { maxLength: 8 })
    await assert(
      asyncProperty(array(steps, { minLength: 2, maxLength: 8 }), async (requests) => {
        const contexts = create()
        const handle = async (ways: string[], id: string): Promise<void> => {
          for (const way of ways) {
            await WAYS[way]!()
            expect(contexts.current()).toEqual(of(id))
            // A context within lets go of its request again.
            await contexts.run(of(`${id} within`), async () => {
              await WAYS[way]!()
              expect(contexts.current()).toEqual(of(`${id} within`))
            })
            expect(contexts.current()).toEqual(of(id))
          }
        }
        await Promise.all(requests.map((ways, index) => contexts.run(of(`${index}`), () => handle(ways, `${index}`))))
        expect(contexts.current()).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('is kept by work that goes on after the task has answered', async () => {
    const contexts = create()
    const seen = new Promise((resolve) => {
      contexts.run(of('a'), () => void setTimeout(() => setImmediate(() => resolve(contexts.current())), 1))
    })
    expect(await seen).toEqual(of('a'))
  })
}
