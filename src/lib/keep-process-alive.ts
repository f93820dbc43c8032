/** Keeps the process alive until a task ends. The agent's timers alone do not. */
export const keepProcessAlive = async <T>(keepAlive: () => () => void, task: Promise<T>): Promise<T> => {
  const stopKeepingAlive = keepAlive()
  try {
    return await task
  } finally {
    stopKeepingAlive()
  }
}
