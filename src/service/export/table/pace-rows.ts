import { setImmediate } from 'node:timers/promises'

/** Longest time for which rows are formatted without a pause, in milliseconds: the same process acknowledges events. */
const WORK_MS = 5

/** Pauses now and then, so that the event loop can do other work. */
export const paceRows = async function* <Row>(rows: AsyncIterable<Row> | Iterable<Row>): AsyncGenerator<Row> {
  let deadline = performance.now() + WORK_MS
  for await (const row of rows) {
    yield row
    if (performance.now() < deadline) continue
    await setImmediate()
    deadline = performance.now() + WORK_MS
  }
}
