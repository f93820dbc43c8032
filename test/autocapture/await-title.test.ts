import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTitleWait } from '../../src/autocapture/await-title.ts'
import { listen } from '../../src/platform/browser/listen.ts'
import { callAll } from '../../src/lib/call-all.ts'
import { manualClock } from '../support/manual-clock.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { visit } from '../support/visit.ts'

let clock: ManualClock
let captured: [title: string | undefined, path: string | undefined, ageMs: number | undefined][]
let cleanups: (() => void)[]
let navigate: (path: string) => void

beforeEach(() => {
  visit('https://shop.example.com/home')
  document.title = 'Home'
  clock = manualClock()
  captured = []
  cleanups = []
  const capture = createTitleWait(
    ({ title, $pathname }, options) =>
      captured.push([title, $pathname, options && clock.now() - Number(options.timestamp)]),
    clock,
    listen,
    cleanups,
  )
  navigate = (path) => {
    visit(`https://shop.example.com${path}`)
    capture({ title: document.title, navigation_type: path === '/home' ? 'initial_load' : 'pushState' })
  }
})
afterEach(() => callAll(cleanups)())

describe('a page view', () => {
  it('of the first page is captured at once', () => {
    navigate('/home')
    expect(captured).toEqual([['Home', undefined, undefined]])
  })

  it('is captured when the title changes, as it was at the navigation', async () => {
    navigate('/cart')
    await clock.advance(20)
    expect(captured).toEqual([])
    visit('https://shop.example.com/cart?step=2')
    document.title = 'Cart'
    await Promise.resolve()
    expect(captured).toEqual([['Cart', '/cart', 20]])
    document.title = 'Later'
    await clock.advance(1_000)
    expect(captured).toHaveLength(1)
    expect(clock.pending()).toBe(0)
  })

  it('is captured after 300 ms when the title stays', async () => {
    navigate('/cart')
    await clock.advance(299)
    expect(captured).toEqual([])
    await clock.advance(1)
    expect(captured).toEqual([['Home', '/cart', 300]])
  })

  it('is captured before the next one, when the page goes away, and at the end', () => {
    navigate('/a')
    navigate('/b')
    expect(captured).toEqual([['Home', '/a', 0]])
    window.dispatchEvent(new Event('pagehide'))
    expect(captured).toHaveLength(2)
    navigate('/c')
    callAll(cleanups)()
    expect(captured.map(([, path]) => path)).toEqual(['/a', '/b', '/c'])
  })
})
