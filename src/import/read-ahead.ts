import { noop } from '../lib/noop.ts'

/**
 * Yields the same items, and requests the next item while the caller works on the current one.
 *
 * @param signal Ends the iteration at once, even while the next item is still pending.
 */
export const readAhead = async function* <Item>(
  items: AsyncGenerator<Item>,
  signal?: AbortSignal,
): AsyncGenerator<Item> {
  const requestNext = (): Promise<IteratorResult<Item>> => {
    const next = items.next()
    // A rejection is handled when `next` is awaited. Without this handler Node would report it as unhandled before that.
    next.catch(noop)
    return next
  }
  try {
    let next = requestNext()
    for (;;) {
      const { done, value } = await resolveUnlessAborted(next, signal)
      if (done) return
      next = requestNext()
      yield value
    }
  } finally {
    // Not awaited: a generator returns only after its pending item, which may never arrive.
    items.return(undefined).catch(noop)
  }
}

/** Not `Promise.race`: a long-lived abort promise would keep every item in memory that was ever raced against it. */
const resolveUnlessAborted = <Item>(
  next: Promise<IteratorResult<Item>>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Item>> =>
  new Promise((resolve, reject) => {
    const end = (): void => resolve({ done: true, value: undefined })
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end, { once: true })
    next.then(resolve, reject).finally(() => signal?.removeEventListener('abort', end))
  })
