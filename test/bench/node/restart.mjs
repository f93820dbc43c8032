/** How long nothing may come from a program that was started again until what is missing counts as lost. */
const PAUSE_MS = 10_000

/** Starts the program once more, without a capture, and waits for what its agent still has. */
export const restart = async ({ sink, start, wanted }) => {
  const startedAt = Date.now()
  start('restarted')
  const { delivered, deliveredTwice, arrivals } = await sink.delivered(wanted, PAUSE_MS)
  const lastAt = arrivals.at(-1)?.[0] ?? 0
  return { delivered, deliveredTwice, secondsToRecover: lastAt > startedAt ? (lastAt - startedAt) / 1000 : undefined }
}

/** The part of a row that captures nothing and runs on. */
export const restarted = async ({ told }) => {
  await told()
}
