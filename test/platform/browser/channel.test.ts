import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBrowserChannel } from '../../../src/platform/browser/channel.ts'
import type { Lifecycle } from '../../../src/port/lifecycle.ts'

afterEach(() => vi.unstubAllGlobals())

let sites = 0

/** The channels of two tabs of one site, and the lifecycle of the first tab. */
const tabs = () => {
  const name = `site ${++sites}`
  const on = { unload: new Set<() => void>(), wake: new Set<(cause: 'restored') => void>() }
  const add =
    <T>(set: Set<T>) =>
    (listener: T) => {
      set.add(listener)
      return () => set.delete(listener)
    }
  const life = { onUnload: add(on.unload), onWake: add(on.wake) } as unknown as Lifecycle
  const still = { onUnload: () => () => {}, onWake: () => () => {} } as unknown as Lifecycle
  return { on, one: createBrowserChannel(name, life), two: createBrowserChannel(name, still) }
}

describe('the channel between tabs', () => {
  it('delivers messages to the other tabs, but not to its own tab', async () => {
    const { one, two } = tabs()
    const own: unknown[] = []
    const end = one.onMessage((message) => own.push(message))
    let stop!: () => void
    const received = new Promise((resolve) => (stop = two.onMessage(resolve)))
    one.post(['e/1', 'e/2'])
    expect(await received).toEqual(['e/1', 'e/2'])
    expect(own).toEqual([])
    end()
    stop()
  })

  it('is closed while the page is in the back/forward cache, and opens again after it', async () => {
    const { on, one, two } = tabs()
    const received: (readonly string[])[] = []
    const end = one.onMessage((message) => received.push(message))
    const stop = two.onMessage(() => {})
    on.unload.forEach((listener) => listener())
    one.post(['lost'])
    two.post(['lost'])
    on.wake.forEach((listener) => listener('restored'))
    two.post(['delivered'])
    await vi.waitFor(() => expect(received).toEqual([['delivered']]))
    end()
    stop()
  })

  it('closes when its listener is removed', () => {
    const close = vi.spyOn(BroadcastChannel.prototype, 'close')
    const { on, one } = tabs()
    const end = one.onMessage(() => {})
    expect(close).not.toHaveBeenCalled()
    end()
    end()
    expect(close).toHaveBeenCalledTimes(1)
    expect([on.unload.size, on.wake.size]).toEqual([0, 0])
    close.mockRestore()
  })

  it('does nothing without BroadcastChannel', () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    const { one } = tabs()
    const end = one.onMessage(() => {})
    one.post(['nobody'])
    end()
  })
})
