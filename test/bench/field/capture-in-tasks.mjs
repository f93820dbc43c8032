/**
 * Runs in the page. Captures events in tasks, times each call, and counts the tasks longer than 50 ms from the first call until
 * `stopCounting()`. A call shorter than the clock resolution counts as zero or as one tick, which a mean over many calls evens out.
 *
 * @param {{ events: number, perTask: number, pauseMs: number, limitMs: number }} plan `limitMs`: start no further task after this time.
 * @returns Duration of each call in microseconds.
 */
export const captureInTasks = async ({ events, perTask, pauseMs, limitMs }) => {
  const { capture } = globalThis.agent ?? globalThis.waymark
  const longTasks = []
  const observer = new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((task) => task.duration)))
  observer.observe({ entryTypes: ['longtask'] })
  globalThis.stopCounting = () => {
    observer.disconnect()
    return {
      count: longTasks.length,
      ms: longTasks.reduce((sum, ms) => sum + ms, 0),
      longestMs: Math.max(0, ...longTasks),
    }
  }
  const microseconds = []
  // The observer sees tasks of timers but not those of the debugger.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const startedAt = performance.now()
  while (microseconds.length < events && performance.now() - startedAt < limitMs) {
    const taskAt = performance.now()
    for (let n = 0; n < perTask; n++) {
      const properties = {
        bench_item: microseconds.length,
        price: 12.5,
        currency: 'EUR',
        category: 'shoes',
        in_stock: true,
      }
      const callAt = performance.now()
      capture('item viewed', properties)
      microseconds.push((performance.now() - callAt) * 1000)
    }
    const pause = Math.max(0, pauseMs - (performance.now() - taskAt))
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  return microseconds
}
