/** Combines functions into one, which calls them in order. The list may still grow. */
export const callAll =
  (functions: readonly (() => void)[]): (() => void) =>
  () =>
    functions.forEach((call) => call())
