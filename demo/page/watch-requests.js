/** Where the agent sends events. */
const EVENT_PATH = /\/(batch|i\/v0\/e)\/$/

/**
 * Reports each request with events, as the browser measures it.
 *
 * @param {string} host URL of the service.
 * @param {(request: { path: string, status: number, durationMs: number }) => void} report `status` is 0 without a response.
 */
export const watchRequests = (host, report) => {
  const observer = new PerformanceObserver((list) => {
    for (const { name, responseStatus = 0, duration } of list.getEntries()) {
      const { pathname } = new URL(name)
      if (!name.startsWith(host) || !EVENT_PATH.test(pathname)) continue
      report({ path: pathname, status: responseStatus, durationMs: Math.round(duration) })
    }
  })
  observer.observe({ type: 'resource', buffered: true })
}
