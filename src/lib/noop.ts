/** Does nothing: for callbacks and cleanups that are not set. */
export const noop = (): void => {}
