import { copyByJson } from './serialise.ts'

/** Returns the caller's properties, or a copy of them. */
type ReadProperties = <T>(properties: T) => T

/**
 * A getter, a `toJSON` or a hook may capture, and what it captures may have one too. Deeper captures fail. Few levels, because a property may be
 * read twice for an event, which doubles the captures at each level.
 */
const MAX_DEPTH = 5

let depth = 0

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
  // Without the limit, the calls would double at each level once the stack is full.
  if (depth >= MAX_DEPTH) return fail('captures call each other')
  depth++
  try {
    return capture(readDirectly)
  } catch {
    try {
      return capture(copyByJson)
    } catch (error) {
      return fail(error)
    }
  } finally {
    depth--
  }
}

const readDirectly: ReadProperties = (properties) => properties
