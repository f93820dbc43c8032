import type { ProcessLifecycle } from '../../port/process-lifecycle.ts'

const nothing = (): void => undefined

/** An edge runtime does not announce its end, so callers must await deliveries there (`flush()`, `waitUntil`). */
export const edgeProcessLifecycle: ProcessLifecycle = {
  keepAlive: () => nothing,
  onIdle: () => nothing,
  onExit: () => nothing,
}
