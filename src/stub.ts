/** One call made before the script arrived: verb, arguments, time in milliseconds since 1970, and the page's address. */
type StubCall = [verb: string | symbol, args: unknown[], time: number, url: string]

const page = window as unknown as { waymark?: unknown; localStorage: Record<string, string> }
const queue: StubCall[] = []

// The visitor leaves before the script arrived: the next page's script finds the calls in localStorage, at most the newest 99.
addEventListener('pagehide', () => {
  try {
    if (queue[0]) {
      page.localStorage.waymark_q = JSON.stringify(
        [...(JSON.parse(page.localStorage.waymark_q ?? '[]') as StubCall[]), ...queue].slice(-99),
      )
      queue.length = 0
    }
  } catch {
    // No storage, or a full one: there is nowhere to keep them.
  }
})

page.waymark ??= new Proxy(queue, {
  get: (_, verb) =>
    verb === 'q'
      ? queue
      : (...args: unknown[]) => {
          queue.push([verb, args, Date.now(), location.href])
        },
})
