/** Keeps the process alive while a task runs: timers alone do not. */
export const held = async <T>(hold: () => () => void, task: Promise<T>): Promise<T> => {
  const release = hold()
  try {
    return await task
  } finally {
    release()
  }
}
