import type { ProcessLife } from '../../port/process.ts'

const nothing = (): void => undefined

/** A runtime at the edge tells nobody of its end: what has to be delivered is awaited there (`flush()`, `waitUntil`). */
export const edgeProcess: ProcessLife = {
  hold: () => nothing,
  onIdle: () => nothing,
  onExit: () => nothing,
}
