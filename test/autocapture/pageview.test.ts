import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watchPageviews } from '../../src/autocapture/pageview.ts'
import { listen } from '../../src/platform/browser/listen.ts'
import { callAll } from '../../src/lib/call-all.ts'
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

  it('are captured again for a page of the back/forward cache, but not for the first `pageshow`', () => {
    start()
    history.pushState({}, '', '/cart')
    const show = (persisted: boolean) => window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
    show(false)
    expect(captured).toHaveLength(2)
    show(true)
    show(true)
    expect(captured.slice(2)).toEqual([
      { title: 'Shop', navigation_type: 'back_forward_cache' },
      { title: 'Shop', navigation_type: 'back_forward_cache' },
    ])
    pop('/home')
    expect(captured.at(-1)).toMatchObject({ navigation_type: 'popstate', $prev_pageview_pathname: '/cart' })
    stop()
    show(true)
    expect(captured).toHaveLength(5)
  })

  it('are captured for routers that use the Navigation API', () => {
    const navigation = new EventTarget()
    vi.stubGlobal('navigation', navigation)
    const commit = (navigationType: string | null, path: string) => {
      visit(`https://shop.example.com${path}`)
      navigation.dispatchEvent(Object.assign(new Event('currententrychange'), { navigationType }))
    }
    watch()
    navigation.dispatchEvent(new Event('navigate'))
    commit('push', '/cart')
    commit('replace', '/pay')
    commit('traverse', '/home')
    commit(null, '/home')
    expect(
      captured.map(({ navigation_type, $prev_pageview_pathname }) => [navigation_type, $prev_pageview_pathname]),
    ).toEqual([
      ['initial_load', undefined],
      ['pushState', '/home'],
      ['replaceState', '/cart'],
      ['popstate', '/pay'],
    ])
    stop()
    commit('push', '/cart')
    expect(captured).toHaveLength(4)
  })

  it.each([
    ['an element', () => document.createElement('nav')],
    ['a string', () => 'menu'],
  ])('are captured beside %s named navigation', (_, create) => {
    vi.stubGlobal('navigation', create())
    start()
    history.pushState({}, '', '/cart')
    expect(captured).toHaveLength(2)
  })

  it('have the title of the page although a form is named title', () => {
    Object.defineProperty(document, 'title', { value: document.createElement('form'), configurable: true })
    start()
    delete (document as { title?: unknown }).title
    expect(captured[0]!['title']).toBe('Shop')
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
