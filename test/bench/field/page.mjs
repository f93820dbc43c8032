import { createServer } from 'node:http'

/**
 * Serves the empty page on which every agent runs. It is cross-origin isolated, so that `performance.now()` has a resolution of 5 µs
 * instead of 100 µs (https://developer.chrome.com/blog/cross-origin-isolated-hr-timers).
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
 * Runs in the page. Evaluates the code in a script element, which compiles and runs it at once, and starts the agent. The measured time
 * includes neither network nor HTML parser.
 *
 * @returns Milliseconds.
 */
export const startAgent = async ({ host, dataset }) => {
  const script = document.createElement('script')
  Object.assign(script.dataset, dataset)
  script.textContent = globalThis.benchCode
  // In its own task, as a parser or a loader would run it.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const startedAt = performance.now()
  document.head.append(script)
  globalThis.agent?.start(host)
  return performance.now() - startedAt
}

/**
 * Runs in the page. Captures events in tasks, times each call, and counts the tasks longer than 50 ms from the first call until
 * `stopCounting()`. A call shorter than the clock resolution counts as zero or as one tick, which a mean over many calls evens out.
 *
 * @param {{ events: number, perTask: number, pauseMs: number, limitMs: number }} plan `limitMs`: start no further task after this time.
 * @returns Duration of each call in microseconds.
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
