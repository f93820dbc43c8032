/**
 * The same items, the next of which is made while the last one is worked on.
 *
 * @param signal Ends it at once, though the next item may be long in coming.
 */
export const ahead = async function* <Item>(items: AsyncGenerator<Item>, signal?: AbortSignal): AsyncGenerator<Item> {
  const take = (): Promise<IteratorResult<Item>> => {
    const next = items.next()
    // Told when it is awaited: until then nobody listens.
    next.catch(() => undefined)
    return next
  }
  try {
    let next = take()
    for (;;) {
      const { done, value } = await unlessAborted(next, signal)
      if (done) return
      next = take()
      yield value
    }
  } finally {
    // Not waited for: it ends when what it is working on is there.
    items.return(undefined).catch(() => undefined)
  }
}

/** No `Promise.race`: the promise of a signal would hold on to all items that ever raced it. */
const unlessAborted = <Item>(
  next: Promise<IteratorResult<Item>>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Item>> =>
  new Promise((resolve, reject) => {
    const end = (): void => resolve({ done: true, value: undefined })
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end, { once: true })
    next.then(resolve, reject).finally(() => signal?.removeEventListener('abort', end))
  })
