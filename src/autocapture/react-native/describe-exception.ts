import { tryOr } from '../../lib/try-or.ts'
import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import { parseStack } from './parse-stack.ts'

/** Errors with their causes; a cycle of causes ends here. */
const MAX_ERRORS = 5

const MAX_MESSAGE_LENGTH = 1_024

/** Names of an object's properties in its description. */
const MAX_KEYS = 10

/** `fatal` and `uncaught`: nobody has caught the error, and the app ends or goes on. `handled`: the app has caught it. */
export type ExceptionKind = 'fatal' | 'uncaught' | 'handled'

/**
 * Creates the properties of `$exception`: the error and its causes. Of a thrown object that is not an error, only the names of its
 * properties are described. Of an error whose properties throw, nothing is. Never throws.
 */
export const describeException = (error: unknown, kind: ExceptionKind): object => ({
  $exception_level: kind === 'fatal' ? kind : 'error',
  $exception_list: withCauses(error).map((each) => {
    const isHandled = kind === 'handled'
    return tryOr(() => describeError(each, isHandled), describeError('an error that cannot be read', isHandled))
  }),
})

const withCauses = (error: unknown): unknown[] => {
  const errors = [error]
  while (errors.length < MAX_ERRORS) {
    const cause = tryOr(() => (Object(errors[errors.length - 1]) as { readonly cause?: unknown }).cause)
    if (cause === undefined || cause === null) break
    errors.push(cause)
  }
  return errors
}

const describeError = (error: unknown, isHandled: boolean): object => {
  const { name, message, stack } = Object(error) as Partial<Record<keyof Error, unknown>>
  const isError = typeof message === 'string'
  return {
    type: isError && isNonBlankString(name) ? name : 'Error',
    value: (isError ? message : describeValue(error)).slice(0, MAX_MESSAGE_LENGTH),
    mechanism: { type: isHandled ? 'generic' : 'onuncaughtexception', handled: isHandled, synthetic: !isError },
    ...(isNonBlankString(stack) && { stacktrace: { type: 'raw', frames: parseStack(stack) } }),
  }
}

const describeValue = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `an object with ${Object.keys(value).slice(0, MAX_KEYS).join(', ') || 'no properties'}`
    : String(value)
