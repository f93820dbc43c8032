import { noop } from '../../lib/noop.ts'
import type { ProcessLifecycle } from '../../port/process-lifecycle.ts'

/** An edge runtime does not announce its end, so callers must await deliveries there (`flush()`, `waitUntil`). */
export const edgeProcessLifecycle: ProcessLifecycle = {
  keepAlive: () => noop,
  onIdle: () => noop,
  onExit: () => noop,
}
