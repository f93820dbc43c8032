import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { browserLifecycle } from '../../../src/platform/browser/lifecycle.ts'

let seen: string[]
let end: () => void
beforeEach(() => {
  seen = []
  const lifecycle = browserLifecycle()
  const ends = [
    lifecycle.onWake((cause) => seen.push(cause)),
    lifecycle.onHidden(() => seen.push('hidden')),
    lifecycle.onUnload(() => seen.push('unload')),
  ]
  end = () => ends.forEach((stop) => stop())
})
afterEach(() => {
  end()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const show = (state: DocumentVisibilityState) => {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
  document.dispatchEvent(new Event('visibilitychange'))
}
const pageshow = (persisted: boolean) => window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))

describe("the page's life", () => {
  it('tells hiding, showing, leaving, coming back and the network', () => {
    show('hidden')
    show('visible')
    window.dispatchEvent(new Event('pagehide'))
    pageshow(true)
    window.dispatchEvent(new Event('online'))
    document.dispatchEvent(new Event('freeze'))
    expect(seen).toEqual(['hidden', 'visible', 'unload', 'restored', 'online', 'hidden'])
  })

  it('takes a first showing for no return', () => {
    pageshow(false)
    expect(seen).toEqual([])
  })

  it('hears what the page stops on its way', () => {
    const stop = (event: Event) => event.stopImmediatePropagation()
    window.addEventListener('pagehide', stop)
    window.dispatchEvent(new Event('pagehide'))
    window.removeEventListener('pagehide', stop)
    expect(seen).toEqual(['unload'])
  })

  it('is silent after its end', () => {
    end()
    show('hidden')
    window.dispatchEvent(new Event('pagehide'))
    expect(seen).toEqual([])
  })

  it('tells whether the page may come back', () => {
    const heard: boolean[] = []
    const stop = browserLifecycle().onUnload((mayReturn) => heard.push(mayReturn))
    for (const persisted of [true, false]) window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted }))
    stop()
    expect(heard).toEqual([true, false])
  })

  it('tells those too who ask only while the page goes away', () => {
    const lifecycle = browserLifecycle()
    const heard: string[] = []
    const ends: (() => void)[] = []
    ends.push(
      lifecycle.onUnload(() => {
        heard.push('first')
        ends.push(lifecycle.onUnload(() => heard.push('second')))
      }),
    )
    window.dispatchEvent(new Event('pagehide'))
    expect(heard).toEqual(['first', 'second'])
    ends.forEach((stop) => stop())
    window.dispatchEvent(new Event('pagehide'))
    expect(heard).toHaveLength(2)
  })

  it('is offline only when the browser is sure', () => {
    expect(browserLifecycle().isOnline()).toBe(true)
    vi.stubGlobal('navigator', { onLine: false })
    expect(browserLifecycle().isOnline()).toBe(false)
    vi.stubGlobal('navigator', undefined)
    expect(browserLifecycle().isOnline()).toBe(true)
  })

  it('works where there is no page', () => {
    vi.stubGlobal('document', undefined)
    vi.stubGlobal('addEventListener', undefined)
    const lifecycle = browserLifecycle()
    const stop = lifecycle.onHidden(() => {})
    vi.stubGlobal('removeEventListener', undefined)
    stop()
    lifecycle.onWake(() => {})()
    lifecycle.onUnload(() => {})()
  })
})
