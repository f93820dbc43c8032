import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import { parseStack } from './parse-stack.ts'

/** Errors with their causes; a cycle of causes ends here. */
const MAX_ERRORS = 5

const MAX_MESSAGE_LENGTH = 1_024

/** Names of an object's properties in its description. */
const MAX_KEYS = 10

/**
 * Creates the properties of `$exception`: the error that nobody has caught, and its causes. Of a thrown object that is no error, only the
 * names of its properties are described.
 *
 * @param isFatal The app is about to end.
 */
export const describeException = (error: unknown, isFatal: boolean): object => ({
  $exception_level: isFatal ? 'fatal' : 'error',
  $exception_list: withCauses(error).map(describeError),
})

const withCauses = (error: unknown): unknown[] => {
  const errors = [error]
  while (errors.length < MAX_ERRORS) {
    const { cause } = Object(errors[errors.length - 1]) as { readonly cause?: unknown }
    if (cause === undefined || cause === null) break
    errors.push(cause)
  }
  return errors
}

const describeError = (error: unknown): object => {
  const { name, message, stack } = Object(error) as Partial<Record<keyof Error, unknown>>
  const isError = typeof message === 'string'
  return {
    type: isError && isNonBlankString(name) ? name : 'Error',
    value: (isError ? message : describeValue(error)).slice(0, MAX_MESSAGE_LENGTH),
    mechanism: { type: 'onuncaughtexception', handled: false, synthetic: !isError },
    ...(isNonBlankString(stack) && { stacktrace: { type: 'raw', frames: parseStack(stack) } }),
  }
}

const describeValue = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `an object with ${Object.keys(value).slice(0, MAX_KEYS).join(', ') || 'no properties'}`
    : String(value)
