/** Does nothing: for callbacks that are not set, and errors that do not matter. The agent has its own, in a folder that no service code imports. */
export const noop = (): void => {}
