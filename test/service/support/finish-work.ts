import type { Work } from '../../../src/service/work-in-chunks.ts'

/** Does work without a pause. */
export const finishWork = <Result>(work: Work<Result>): Result => {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}
