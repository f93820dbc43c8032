/** Keeps the process alive while a task runs: the timers of the agent do not. */
export const keepProcessAlive = async <T>(keepAlive: () => () => void, task: Promise<T>): Promise<T> => {
  const release = keepAlive()
  try {
    return await task
  } finally {
    release()
  }
}
