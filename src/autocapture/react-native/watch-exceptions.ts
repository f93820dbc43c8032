import type { Clock } from '../../port/clock.ts'
import { callSafely } from '../../lib/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import { noop } from '../../lib/noop.ts'
import { tryOr } from '../../lib/try-or.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { describeException } from './describe-exception.ts'

type ErrorHandler = (error: unknown, isFatal?: boolean) => void

/** `ErrorUtils`, a global of React Native. */
export interface ErrorUtils {
  getGlobalHandler(): ErrorHandler | undefined
  setGlobalHandler(handler: ErrorHandler): void
}

/** A storage answers in milliseconds. Beyond this time the app must not go on with a state that is broken. */
const MAX_STORE_WAIT_MS = 2_000

/** An error that is thrown again and again must not push all other events out of the queue. */
const MAX_CAPTURES_PER_MINUTE = 10
const MINUTE_MS = 60_000

/**
 * Captures the errors that nobody has caught, and passes each one on to the handler that was set before.
 *
 * That handler may end the app, so after a fatal error it is called when the event is stored, at the latest after two seconds, and in a
 * task of its own. An error that is reported twice in a row, as when that handler throws it, is captured once. Beyond ten errors a minute
 * only fatal ones are captured.
 *
 * @param capture Captures `$exception` with these properties. With `isFatal`, settles when the event is stored or dropped.
 * @returns Stops it. Where another handler was set meanwhile, this one stays in the chain, and only passes errors on.
 */
export const watchExceptions = (
  errorUtils: ErrorUtils,
  capture: (properties: object, isFatal: boolean) => Promise<unknown> | undefined,
  clock: Clock,
  logger: Logger,
): (() => void) => {
  let previousHandler: ErrorHandler | undefined
  let last: { readonly thrown: unknown } | undefined
  let isStopped = false
  const captureTimes: number[] = []

  const isTooMany = (): boolean => {
    const now = clock.now()
    // Also after the user has changed the clock.
    while (captureTimes.length && Math.abs(now - captureTimes[0]!) >= MINUTE_MS) captureTimes.shift()
    if (captureTimes.length === MAX_CAPTURES_PER_MINUTE) return true
    captureTimes.push(now)
    return false
  }

  const handler: ErrorHandler = (thrown, isFatal) => {
    const passOn = (): void => previousHandler?.(thrown, isFatal)
    const isRepeated = last !== undefined && thrown === last.thrown
    last = { thrown }
    // Describing may throw: the app decides what its errors are.
    const stored =
      isStopped || isRepeated || (!isFatal && isTooMany())
        ? undefined
        : tryOr(() => capture(describeException(thrown, isFatal ? 'fatal' : 'uncaught'), !!isFatal))
    if (!stored || !isFatal) return passOn()
    // Not within the promise, which would swallow what the handler throws.
    const passOnLater = (): void => clock.defer(passOn)
    void withTimeout(clock, MAX_STORE_WAIT_MS, stored).then(passOnLater, passOnLater)
  }

  let stop = noop
  callSafely(logger, 'errorUtils', () => {
    previousHandler = errorUtils.getGlobalHandler()
    errorUtils.setGlobalHandler(handler)
    stop = () => {
      if (previousHandler && errorUtils.getGlobalHandler() === handler) errorUtils.setGlobalHandler(previousHandler)
    }
  })
  return () => {
    isStopped = true
    stop()
  }
}
