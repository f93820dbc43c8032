/** Where the agent speaks. Warnings tell of lost or refused data and are always visible; `debug` only when asked for. */
export interface Logger {
  debug(...message: unknown[]): void
  warn(...message: unknown[]): void
}
