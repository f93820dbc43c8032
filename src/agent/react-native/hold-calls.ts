import { serialise } from '../../capture/serialise.ts'
import { keepEqual } from '../../lib/keep-equal.ts'
import { tryOr } from '../../lib/try-or.ts'
import type { Options } from '../options.ts'
import type { Waymark } from '../waymark.ts'
import { createEarlyAnswers } from './early-answers.ts'

/** The verbs of an agent that cannot serve them yet. */
export interface HeldVerbs {
  readonly verbs: Waymark
  /** The time that events get: that of the call which is made again just now, otherwise the current time. */
  now(): number
  /** Starts the agent at the time of its creation, makes the held calls in order, each at its own time, and passes on later calls. */
  release(): void
}

/** Verbs that return a promise. */
const PROMISE_VERBS: readonly string[] = ['flush', 'shutdown', 'reloadFeatureFlags'] satisfies (keyof Waymark)[]

type AnyVerb = (...args: unknown[]) => unknown

/**
 * Holds the calls of verbs until the app's storage was read, and with it the user and the consent.
 *
 * @param target The real verbs; they never throw.
 * @param start Starts the agent.
 * @param readClock Returns the current time in milliseconds since 1970.
 * @param bootstrap Its flags can be read at once.
 */
export const holdCalls = (
  target: Waymark,
  start: () => void,
  readClock: () => number,
  bootstrap: Options['bootstrap'],
): HeldVerbs => {
  let held: { readonly timeMs: number; make(): void }[] | undefined = [{ timeMs: readClock(), make: start }]
  let replayedMs: number | undefined

  const hold = (make: () => void): void => void held?.push({ timeMs: readClock(), make })

  const holdCall = (name: keyof Waymark, input: readonly unknown[]): unknown => {
    const call = target[name] as AnyVerb
    const args = input.map(copyArgument)
    if (PROMISE_VERBS.includes(name)) return new Promise((resolve) => hold(() => resolve(call(...args))))
    if (name !== 'onFeatureFlags') {
      hold(() => void call(...args))
      return undefined
    }
    let unsubscribe: unknown
    let isCancelled = false
    hold(() => {
      if (!isCancelled) unsubscribe = call(...args)
    })
    return () => {
      isCancelled = true
      if (unsubscribe) (unsubscribe as () => void)()
    }
  }

  const answers: Partial<Record<string, unknown>> = createEarlyAnswers(bootstrap, (name) =>
    hold(() => void target.getFeatureFlag(name)),
  )
  const verbs = {} as Record<string, AnyVerb>
  const getters = {} as Record<string, AnyVerb>
  for (const name of Object.keys(target) as (keyof Waymark)[]) {
    const table = name in answers ? getters : verbs
    table[name] = (...args) => {
      if (!held) return (target[name] as AnyVerb)(...args)
      const answer = answers[name] as AnyVerb | undefined
      return answer ? answer(...args) : holdCall(name, args)
    }
  }

  return {
    // The started agent gives the same objects as before, if they are equal.
    verbs: { ...verbs, ...keepEqual(getters) } as unknown as Waymark,
    now: () => replayedMs ?? readClock(),
    release() {
      const calls = held ?? []
      held = undefined
      for (const { timeMs, make } of calls) {
        replayedMs = timeMs
        make()
      }
      replayedMs = undefined
    },
  }
}

/** The caller may change an object after the call. Functions, which listeners are, stay as they are. */
const copyArgument = (arg: unknown): unknown => {
  if (typeof arg !== 'object' || arg === null) return arg
  // `toJSON` may return anything, also undefined, which is not JSON.
  const copy = tryOr(() => JSON.parse(serialise(arg)) as unknown)
  if (Array.isArray(arg)) return copy
  // JSON lacks the properties whose value is undefined, which remove a property.
  return { ...(tryOr(() => ({ ...arg })) as object), ...(typeof copy === 'object' ? copy : undefined) }
}
