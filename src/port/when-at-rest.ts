import { noop } from './noop.ts'

/**
 * Calls `task` when the page has started and rests: work that nobody waits for.
 *
 * @returns Cancels the call.
 */
export type WhenAtRest = (task: () => void) => () => void

/** Where no page starts: servers, apps and workers. */
export const atOnce: WhenAtRest = (task) => {
  task()
  return noop
}
