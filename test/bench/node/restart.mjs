/** Longest pause between events of a restarted program, in milliseconds. After that, missing events count as lost. */
const PAUSE_MS = 10_000

/** Restarts the program without captures and waits for the events that its agent has stored. */
export const restart = async ({ sink, start, expected }) => {
  const startedAt = Date.now()
  start('restarted')
  const { delivered, deliveredTwice, arrivals } = await sink.waitForEvents(expected, PAUSE_MS)
  const lastAt = arrivals.at(-1)?.[0] ?? 0
  return { delivered, deliveredTwice, secondsToRecover: lastAt > startedAt ? (lastAt - startedAt) / 1000 : undefined }
}

/** The part of a row that captures nothing and keeps running. */
export const restarted = async ({ nextMessage }) => {
  await nextMessage()
}
