import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBrowserChannel } from '../../../src/platform/browser/channel.ts'
import type { Lifecycle } from '../../../src/port/lifecycle.ts'

afterEach(() => vi.unstubAllGlobals())

let siteCount = 0

/** The channels of two tabs of one site, and the lifecycle of the first tab. */
const openTabs = () => {
  const name = `site ${++siteCount}`
  const listeners = { unload: new Set<() => void>(), wake: new Set<(cause: 'restored') => void>() }
  const add =
    <T>(set: Set<T>) =>
    (listener: T) => {
      set.add(listener)
      return () => set.delete(listener)
    }
  const lifecycle = { onUnload: add(listeners.unload), onWake: add(listeners.wake) } as unknown as Lifecycle
  const idleLifecycle = { onUnload: () => () => {}, onWake: () => () => {} } as unknown as Lifecycle
  return { listeners, first: createBrowserChannel(name, lifecycle), second: createBrowserChannel(name, idleLifecycle) }
}

describe('the channel between tabs', () => {
  it('delivers messages to the other tabs, but not to its own tab', async () => {
    const { first, second } = openTabs()
    const ownMessages: unknown[] = []
    const end = first.onMessage((message) => ownMessages.push(message))
    let stop!: () => void
    const received = new Promise((resolve) => (stop = second.onMessage(resolve)))
    first.post(['e/1', 'e/2'])
    expect(await received).toEqual(['e/1', 'e/2'])
    expect(ownMessages).toEqual([])
    end()
    stop()
  })

  it('is closed while the page is in the back/forward cache, and opens again after it', async () => {
    const { listeners, first, second } = openTabs()
    const received: (readonly string[])[] = []
    const end = first.onMessage((message) => received.push(message))
    const stop = second.onMessage(() => {})
    listeners.unload.forEach((listener) => listener())
    first.post(['lost'])
    second.post(['lost'])
    listeners.wake.forEach((listener) => listener('restored'))
    second.post(['delivered'])
    await expect.poll(() => received).toEqual([['delivered']])
    end()
    stop()
  })

  it('closes when its listener is removed', () => {
    const close = vi.spyOn(BroadcastChannel.prototype, 'close')
    const { listeners, first } = openTabs()
    const end = first.onMessage(() => {})
    expect(close).not.toHaveBeenCalled()
    end()
    end()
    expect(close).toHaveBeenCalledTimes(1)
    expect([listeners.unload.size, listeners.wake.size]).toEqual([0, 0])
    close.mockRestore()
  })

  it('does nothing without BroadcastChannel', () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    const { first } = openTabs()
    const end = first.onMessage(() => {})
    first.post(['unheard'])
    end()
  })

  it('does nothing where BroadcastChannel throws', () => {
    const fail = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    }
    vi.stubGlobal('BroadcastChannel', fail)
    const { listeners, first } = openTabs()
    const end = first.onMessage(() => {})
    listeners.wake.forEach((listener) => listener('restored'))
    first.post(['unheard'])
    end()
    vi.stubGlobal(
      'BroadcastChannel',
      class {
        addEventListener = () => {}
        postMessage = fail
        close = fail
      },
    )
    const endOther = openTabs().first.onMessage(() => {})
    first.post(['unheard'])
    endOther()
  })
})
