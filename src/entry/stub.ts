/** One call made before the script arrived: verb, arguments, time in milliseconds since 1970, and the page's address. */
type StubCall = [verb: string | symbol, args: unknown[], time: number, url: string]

const page = window as unknown as { waymark?: unknown; localStorage: Record<string, string> }
const queue: StubCall[] = []

// The visitor leaves before the script arrived: the next page's script finds the calls in localStorage, at most the newest 99.
addEventListener('pagehide', () => {
  for (const call of queue.splice(0).slice(-99)) {
    try {
      page.localStorage.waymark_q = JSON.stringify(
        [...(JSON.parse(page.localStorage.waymark_q ?? '[]') as StubCall[]), call].slice(-99),
      )
    } catch {
      // No storage, a full one, or an argument that JSON refuses: only this page can keep this call, should it come back.
      queue.push(call)
    }
  }
})

page.waymark ??= new Proxy(queue, {
  get: (_, verb) =>
    verb === 'q'
      ? queue
      : // No promise: `await` would never end.
        verb === 'then'
        ? undefined
        : (...args: unknown[]) => {
            queue.push([verb, args, Date.now(), location.href])
          },
})
