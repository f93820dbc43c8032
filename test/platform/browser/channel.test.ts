import { afterEach, describe, expect, it, vi } from 'vitest'
import { browserChannel } from '../../../src/platform/browser/channel.ts'
import type { Lifecycle } from '../../../src/port/lifecycle.ts'

afterEach(() => vi.unstubAllGlobals())

let sites = 0

/** Two tabs of one site, and the life of the first. */
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
  return { on, one: browserChannel(name, life), two: browserChannel(name, still) }
}

describe('the channel between tabs', () => {
  it('carries messages to the other tab, not to the own', async () => {
    const { one, two } = tabs()
    const own: unknown[] = []
    const end = one.onMessage((message) => own.push(message))
    let stop!: () => void
    const heard = new Promise((resolve) => (stop = two.onMessage(resolve)))
    one.post(['e/1', 'e/2'])
    expect(await heard).toEqual(['e/1', 'e/2'])
    expect(own).toEqual([])
    end()
    stop()
  })

  it('is closed while the page is away, and open again when it is restored', async () => {
    const { on, one, two } = tabs()
    const heard: (readonly string[])[] = []
    const end = one.onMessage((message) => heard.push(message))
    const stop = two.onMessage(() => {})
    on.unload.forEach((listener) => listener())
    one.post(['lost'])
    two.post(['unheard'])
    on.wake.forEach((listener) => listener('restored'))
    two.post(['heard'])
    await vi.waitFor(() => expect(heard).toEqual([['heard']]))
    end()
    stop()
  })

  it('leaves nothing behind when its listener goes', () => {
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

  it('is silent where there is no BroadcastChannel', () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    const { one } = tabs()
    const end = one.onMessage(() => {})
    one.post(['nobody'])
    end()
  })
})
