/**
 * Does the work now and again `everyMs` milliseconds after it has ended, while the page can be seen.
 *
 * @param {() => Promise<unknown>} work Must not reject.
 */
export const whileVisible = (everyMs, work) => {
  let timer
  let isRunning = false
  const turn = async () => {
    if (isRunning || document.hidden) return
    isRunning = true
    await work()
    isRunning = false
    timer = setTimeout(() => void turn(), everyMs)
  }
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    void turn()
  })
  void turn()
}
