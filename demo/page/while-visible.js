/**
 * Runs a task now, and `intervalMs` milliseconds after each run has ended, while the page is visible. Also runs it immediately when the
 * page becomes visible again.
 *
 * @param {() => Promise<unknown>} task Must not reject.
 */
export const whileVisible = (intervalMs, task) => {
  let timer
  let isRunning = false
  const run = async () => {
    if (isRunning || document.hidden) return
    isRunning = true
    await task()
    isRunning = false
    timer = setTimeout(() => void run(), intervalMs)
  }
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    void run()
  })
  void run()
}
