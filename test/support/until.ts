/**
 * Polls `read` until the value satisfies `isDone`, and returns it. Throws with the last value after `withinMs`.
 *
 * @param everyMs Pause between two reads, in milliseconds.
 */
export const until = async <T>(
  read: () => Promise<T> | T,
  isDone: (value: T) => boolean,
  withinMs = 15_000,
  everyMs = 50,
): Promise<T> => {
  const deadline = Date.now() + withinMs
  for (;;) {
    const value = await read()
    if (isDone(value)) return value
    if (Date.now() > deadline)
      throw new Error(`not reached within ${withinMs} ms; the last value was ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
