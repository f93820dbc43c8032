import { copyByJson } from './serialise.ts'

/** Returns the caller's properties, or a copy of them. */
type ReadProperties = <T>(properties: T) => T

/**
 * Runs a capture. If it throws, a getter of the caller's properties may have thrown: runs it again with a copy of them, in which a string
 * replaces each unreadable value.
 *
 * @param fail Called when the second run throws too.
 */
export const captureSafely = <Result>(
  capture: (read: ReadProperties) => Result,
  fail: (error: unknown) => Result,
): Result => {
  try {
    return capture(readDirectly)
  } catch {
    try {
      return capture(copyByJson)
    } catch (error) {
      return fail(error)
    }
  }
}

const readDirectly: ReadProperties = (properties) => properties
