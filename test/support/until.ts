/**
 * Asks again until the answer satisfies, and answers it; fails with the last answer when `withinMs` have passed.
 *
 * @param everyMs Pause between two questions, in milliseconds.
 */
export const until = async <T>(
  ask: () => Promise<T> | T,
  isEnough: (answer: T) => boolean,
  withinMs = 15_000,
  everyMs = 50,
): Promise<T> => {
  const end = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (isEnough(answer)) return answer
    if (Date.now() > end) throw new Error(`Not so within ${withinMs} ms; the last answer was ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
