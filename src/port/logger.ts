import type { DebugEntry } from './debug-entry.ts'

/** The agent's log. `warn` reports lost or refused data and is always visible; `debug` is visible in debug mode only. */
export interface Logger {
  debug(...entry: DebugEntry): void
  warn(...message: unknown[]): void
}
