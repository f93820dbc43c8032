import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watchPageviews } from '../../src/autocapture/pageview.ts'
import type { Pageviews } from '../../src/autocapture/pageview.ts'
import { listen } from '../../src/platform/browser/listen.ts'
import { visit } from '../support/visit.ts'

const { pushState, replaceState } = history
let seen: Record<string, string>[]
let views: Pageviews
const stop = () => views?.stop()

beforeEach(() => {
  visit('https://shop.example.com/home')
  document.title = 'Shop'
  seen = []
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
  expect(history.pushState).toBe(pushState)
  expect(history.replaceState).toBe(replaceState)
})

const watch = () => (views = watchPageviews((properties) => seen.push(properties), listen))
const start = () => {
  watch()
  views.begin()
}
const pop = (path: string) => {
  visit(`https://shop.example.com${path}`)
  window.dispatchEvent(new Event('popstate'))
}

describe('pageviews', () => {
  it('are captured at load', () => {
    start()
    expect(seen).toEqual([{ title: 'Shop', navigation_type: 'initial_load' }])
  })

  it('are captured at load on a page that has frozen its history', () => {
    vi.stubGlobal('history', Object.freeze({ pushState, replaceState }))
    start()
    expect(seen).toHaveLength(1)
  })

  it('of the first page are captured once, at the latest before its path changes', () => {
    watch()
    expect(seen).toEqual([])
    history.pushState({}, '', '/cart')
    views.begin()
    expect(seen.map(({ navigation_type }) => navigation_type)).toEqual(['initial_load', 'pushState'])
  })

  it('are captured when the path changes without a load, with the path before', () => {
    start()
    history.pushState({}, '', '/cart')
    history.replaceState({}, '', '/pay')
    pop('/home')
    expect(seen.slice(1)).toEqual([
      { title: 'Shop', navigation_type: 'pushState', $prev_pageview_pathname: '/home' },
      { title: 'Shop', navigation_type: 'replaceState', $prev_pageview_pathname: '/cart' },
      { title: 'Shop', navigation_type: 'popstate', $prev_pageview_pathname: '/pay' },
    ])
  })

  it('are not captured when only query or fragment change', () => {
    start()
    history.pushState({}, '', '/home?page=2')
    history.replaceState({}, '', '/home#top')
    pop('/home')
    expect(seen).toHaveLength(1)
  })

  it('wait until a prerendered page is shown', () => {
    Object.defineProperty(document, 'prerendering', { value: true, configurable: true })
    start()
    history.replaceState({}, '', '/early')
    expect(seen).toEqual([])
    delete (document as { prerendering?: boolean }).prerendering
    document.dispatchEvent(new Event('prerenderingchange'))
    expect(seen).toEqual([{ title: 'Shop', navigation_type: 'initial_load' }])
  })

  it("hand the page's own call on unchanged", () => {
    start()
    history.pushState({ own: 1 }, '', '/cart')
    expect(history.state).toEqual({ own: 1 })
    expect(location.pathname).toBe('/cart')
  })

  it('end with their stop', () => {
    start()
    stop()
    history.pushState({}, '', '/cart')
    pop('/pay')
    expect(seen).toHaveLength(1)
  })

  it("leave another script's history methods in place, and stay silent under them", () => {
    start()
    const under = history.pushState
    const theirs: typeof history.pushState = (...state) => under.apply(history, state)
    history.pushState = theirs
    stop()
    expect(history.pushState).toBe(theirs)
    history.pushState({}, '', '/cart')
    expect(location.pathname).toBe('/cart')
    expect(seen).toHaveLength(1)
    history.pushState = pushState
  })

  it('do nothing where there is no page', () => {
    vi.stubGlobal('document', undefined)
    start()
    stop()
    expect(seen).toEqual([])
  })
})
