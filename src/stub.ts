/** One call made before the script arrived: verb, arguments, time in milliseconds since 1970, and the page's address. */
type StubCall = [verb: string, args: unknown[], time: number, url: string]

interface StubPage {
  waymark?: unknown
  localStorage: Record<string, string>
}

const page = window as unknown as StubPage

if (!page.waymark) {
  const queue: StubCall[] = []
  page.waymark = new Proxy(
    { q: queue },
    {
      get: (own, verb) =>
        verb === 'q'
          ? own.q
          : (...args: unknown[]) => {
              queue.push([verb as string, args, Date.now(), location.href])
            },
    },
  )
  // The visitor leaves before the script arrived: the next page's script finds the calls in localStorage.
  addEventListener('pagehide', () => {
    try {
      if (queue[0]) {
        page.localStorage.waymark_q = JSON.stringify(
          (JSON.parse(page.localStorage.waymark_q ?? '[]') as StubCall[]).concat(queue).slice(-99),
        )
        queue.length = 0
      }
    } catch {
      // No storage, or a full one: there is nowhere to keep them.
    }
  })
}
