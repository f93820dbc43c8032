import type { WhenAtRest } from '../port/when-at-rest.ts'
import { noop } from './noop.ts'

/** Where no page starts: servers, apps and workers. */
export const atOnce: WhenAtRest = (task) => {
  task()
  return noop
}
