/** A call made before the script was loaded: verb, arguments, time in milliseconds since 1970, and URL of the page. */
type StubCall = [verb: string | symbol, args: unknown[], time: number, url: string]

const page = window as unknown as Pick<typeof globalThis, 'Date' | 'Proxy'> & {
  waymark?: { init?: { call?: unknown }; q?: unknown }
  localStorage: Record<string, string>
}
const queue: StubCall[] = []

// The visitor leaves before the script was loaded: localStorage keeps the latest 99 calls for the script on the next page.
addEventListener('pagehide', () => {
  for (const call of queue.splice(0).slice(-99)) {
    try {
      page.localStorage.waymark_q = JSON.stringify(
        [...(JSON.parse(page.localStorage.waymark_q ?? '[]') as StubCall[]), call].slice(-99),
      )
    } catch {
      // Storage is missing or full, or an argument is not JSON. This page keeps the call in case it comes back.
      queue.push(call)
    }
  }
})

// An element of the page with the id `waymark` is also a property of the window. Only functions have a `call`.
if (!page.waymark?.init?.call)
  page.waymark = new page.Proxy(queue as { q?: unknown }, {
    get: (_, verb) =>
      verb === 'q'
        ? queue
        : // Not a promise: with a `then`, `await` would never end.
          verb === 'then'
          ? undefined
          : (...args: unknown[]) => {
              queue.push([verb, args, page.Date.now(), location.href])
            },
  })
