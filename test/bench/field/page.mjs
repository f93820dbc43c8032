import { createServer } from 'node:http'

/**
 * The page that every agent runs on, with nothing else on it. Cross-origin isolated, so that `performance.now()` ticks in 5 µs
 * (100 µs elsewhere: https://developer.chrome.com/blog/cross-origin-isolated-hr-timers).
 */
export const servePage = async () => {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
    response.end('<!doctype html><title>bench</title><h1>Shoes</h1><p>A page of a shop.</p>')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

/**
 * Runs in the page. Evaluates the text as a script element, which compiles and runs it at once, and starts the agent: neither network
 * nor HTML parser are in the time.
 *
 * @returns Milliseconds.
 */
export const startAgent = async ({ host, dataset }) => {
  const script = document.createElement('script')
  Object.assign(script.dataset, dataset)
  script.textContent = globalThis.benchCode
  // In a task of its own, as a parser or a loader would run it.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const startedAt = performance.now()
  document.head.append(script)
  globalThis.agent?.start(host)
  return performance.now() - startedAt
}

/**
 * Runs in the page. Captures events in tasks, times each call (a call shorter than the clock's tick counts as none or as a whole tick,
 * which a mean over many evens out), and counts the tasks that were longer than 50 ms, from the first call
 * until `stopCounting()`.
 *
 * @param {{ events: number, perTask: number, pauseMs: number, limitMs: number }} plan `limitMs`: begin no further task after so long.
 * @returns Microseconds of each call that was made.
 */
export const captureInTasks = async ({ events, perTask, pauseMs, limitMs }) => {
  const capture = globalThis.agent?.capture ?? globalThis.waymark.capture
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
  // What the debugger calls is no task that the observer sees; what a timer calls is.
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
