import { noop } from './noop.ts'

/** Runs work one piece after the other, in the order of the calls. A piece that fails does not stop the next. */
export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>

export const createQueue = (): Queue => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(noop)
    return result
  }
}
