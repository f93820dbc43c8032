import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBrowserLifecycle } from '../../../src/platform/browser/lifecycle.ts'

let events: string[]
let removeListeners: () => void
beforeEach(() => {
  events = []
  const lifecycle = createBrowserLifecycle()
  const removers = [
    lifecycle.onWake((cause) => events.push(cause)),
    lifecycle.onHidden(() => events.push('hidden')),
    lifecycle.onUnload(() => events.push('unload')),
  ]
  removeListeners = () => removers.forEach((remove) => remove())
})
afterEach(() => {
  removeListeners()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const show = (state: DocumentVisibilityState) => {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
  document.dispatchEvent(new Event('visibilitychange'))
}
const pageshow = (persisted: boolean) => window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))

describe('the browser lifecycle', () => {
  it('reports hidden, visible, unload, restored and online', () => {
    show('hidden')
    show('visible')
    window.dispatchEvent(new Event('pagehide'))
    pageshow(true)
    window.dispatchEvent(new Event('online'))
    document.dispatchEvent(new Event('freeze'))
    expect(events).toEqual(['hidden', 'visible', 'unload', 'restored', 'online', 'hidden'])
  })

  it('does not report the first `pageshow` as restored', () => {
    pageshow(false)
    expect(events).toEqual([])
  })

  it('gets events whose propagation the page stops', () => {
    const stop = (event: Event) => event.stopImmediatePropagation()
    window.addEventListener('pagehide', stop)
    window.dispatchEvent(new Event('pagehide'))
    window.removeEventListener('pagehide', stop)
    expect(events).toEqual(['unload'])
  })

  it('reports nothing after its listeners are removed', () => {
    removeListeners()
    show('hidden')
    window.dispatchEvent(new Event('pagehide'))
    expect(events).toEqual([])
  })

  it('reports whether the page may return', () => {
    const received: boolean[] = []
    const stop = createBrowserLifecycle().onUnload((mayReturn) => received.push(mayReturn))
    for (const persisted of [true, false]) window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted }))
    stop()
    expect(received).toEqual([true, false])
  })

  it('calls listeners that are added during the unload', () => {
    const lifecycle = createBrowserLifecycle()
    const received: string[] = []
    const removers: (() => void)[] = []
    removers.push(
      lifecycle.onUnload(() => {
        received.push('first')
        removers.push(lifecycle.onUnload(() => received.push('second')))
      }),
    )
    window.dispatchEvent(new Event('pagehide'))
    expect(received).toEqual(['first', 'second'])
    removers.forEach((remove) => remove())
    window.dispatchEvent(new Event('pagehide'))
    expect(received).toHaveLength(2)
  })

  it('is offline only when the browser is certain', () => {
    expect(createBrowserLifecycle().isOnline()).toBe(true)
    vi.stubGlobal('navigator', { onLine: false })
    expect(createBrowserLifecycle().isOnline()).toBe(false)
    vi.stubGlobal('navigator', undefined)
    expect(createBrowserLifecycle().isOnline()).toBe(true)
  })

  it('works without a page', () => {
    vi.stubGlobal('document', undefined)
    vi.stubGlobal('addEventListener', undefined)
    const lifecycle = createBrowserLifecycle()
    const stop = lifecycle.onHidden(() => {})
    vi.stubGlobal('removeEventListener', undefined)
    stop()
    lifecycle.onWake(() => {})()
    lifecycle.onUnload(() => {})()
  })
})
