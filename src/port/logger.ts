/** The agent's log. `warn` reports lost or refused data and is always visible; `debug` is visible in debug mode only. */
export interface Logger {
  debug(...message: unknown[]): void
  warn(...message: unknown[]): void
}
