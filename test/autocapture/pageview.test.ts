import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watchPageviews } from '../../src/autocapture/pageview.ts'
import { listen } from '../../src/platform/browser/listen.ts'
import { callAll } from '../../src/port/call-all.ts'
import { visit } from '../support/visit.ts'

const { pushState, replaceState } = history
let captured: Record<string, string | undefined>[]
let begin: () => void
let cleanups: (() => void)[] = []
const stop = () => callAll(cleanups)()

beforeEach(() => {
  visit('https://shop.example.com/home')
  document.title = 'Shop'
  captured = []
  cleanups = []
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
  expect(history.pushState).toBe(pushState)
  expect(history.replaceState).toBe(replaceState)
})

const watch = () => (begin = watchPageviews((properties) => captured.push(properties), listen, cleanups))
const start = () => {
  watch()
  begin()
}
const pop = (path: string) => {
  visit(`https://shop.example.com${path}`)
  window.dispatchEvent(new Event('popstate'))
}

describe('pageviews', () => {
  it('are captured at load', () => {
    start()
    expect(captured).toEqual([{ title: 'Shop', navigation_type: 'initial_load' }])
  })

  it('are captured at load on a page with frozen history methods', () => {
    vi.stubGlobal('history', Object.freeze({ pushState, replaceState }))
    start()
    expect(captured).toHaveLength(1)
  })

  it('are captured once for the first page, before its path changes', () => {
    watch()
    expect(captured).toEqual([])
    history.pushState({}, '', '/cart')
    begin()
    expect(captured.map(({ navigation_type }) => navigation_type)).toEqual(['initial_load', 'pushState'])
  })

  it('are captured for each path change, with the previous path', () => {
    start()
    history.pushState({}, '', '/cart')
    history.replaceState({}, '', '/pay')
    pop('/home')
    expect(captured.slice(1)).toEqual([
      { title: 'Shop', navigation_type: 'pushState', $prev_pageview_pathname: '/home' },
      { title: 'Shop', navigation_type: 'replaceState', $prev_pageview_pathname: '/cart' },
      { title: 'Shop', navigation_type: 'popstate', $prev_pageview_pathname: '/pay' },
    ])
  })

  it('are not captured for changes of query or fragment', () => {
    start()
    history.pushState({}, '', '/home?page=2')
    history.replaceState({}, '', '/home#top')
    pop('/home')
    expect(captured).toHaveLength(1)
  })

  it('wait until a prerendered page is shown', () => {
    Object.defineProperty(document, 'prerendering', { value: true, configurable: true })
    start()
    history.replaceState({}, '', '/early')
    expect(captured).toEqual([])
    delete (document as { prerendering?: boolean }).prerendering
    document.dispatchEvent(new Event('prerenderingchange'))
    expect(captured).toEqual([{ title: 'Shop', navigation_type: 'initial_load' }])
  })

  it("do not change the results of the page's own history calls", () => {
    start()
    history.pushState({ own: 1 }, '', '/cart')
    expect(history.state).toEqual({ own: 1 })
    expect(location.pathname).toBe('/cart')
  })

  it('are not captured after stop()', () => {
    start()
    stop()
    history.pushState({}, '', '/cart')
    pop('/pay')
    expect(captured).toHaveLength(1)
  })

  it('keep the history methods that another script has set when they stop', () => {
    start()
    const patched = history.pushState
    const theirs: typeof history.pushState = (...args) => patched.apply(history, args)
    history.pushState = theirs
    stop()
    expect(history.pushState).toBe(theirs)
    history.pushState({}, '', '/cart')
    expect(location.pathname).toBe('/cart')
    expect(captured).toHaveLength(1)
    history.pushState = pushState
  })

  it('are not captured without a document', () => {
    vi.stubGlobal('document', undefined)
    start()
    stop()
    expect(captured).toEqual([])
  })
})
