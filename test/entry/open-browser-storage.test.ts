import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createInitialState, parseState, STATE_STORAGE_KEY } from '../../src/capture/state.ts'
import type { State } from '../../src/capture/state.ts'
import { openBrowserStorage } from '../../src/entry/open-browser-storage.ts'

/** Cookies by name. There is no other storage, as where a browser refuses it. */
const jar = new Map<string, string>()
beforeEach(() => {
  jar.clear()
  vi.stubGlobal('location', { hostname: 'a.shop.test', protocol: 'https:' })
  vi.stubGlobal('localStorage', undefined)
  vi.stubGlobal('sessionStorage', undefined)
  vi.stubGlobal('document', {
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    },
    set cookie(input: string) {
      const [name, value] = input.split(';')[0]!.split('=') as [string, string]
      if (input.includes('max-age=-1')) jar.delete(name)
      else if (name.length + value.length <= 4_096) jar.set(name, value)
    },
  })
})
afterEach(() => vi.unstubAllGlobals())

/** Writes a state, and reads it on the next page. */
const readOnNextPage = (state: State, crossSubdomainCookie: boolean): State | undefined => {
  const open = () => openBrowserStorage('waymark_', { crossSubdomainCookie }, () => {})
  open().set(STATE_STORAGE_KEY, JSON.stringify(state))
  return parseState(open().get(STATE_STORAGE_KEY))
}
const withProperties = (length: number): State => ({
  ...createInitialState('01890a5d-ac96-774b-bcce-b302099a8057', 0),
  superProperties: { text: 'x'.repeat(length) },
  told: { '=plan': 7 },
})

it('keeps 2 KB of super properties in the cookie of one host', () => {
  const state = withProperties(2_000)
  expect(readOnNextPage(state, false)).toEqual(state)
})

it.each([
  [2_000, true],
  [5_000, false],
])('keeps who the visitor is without %d bytes of super properties, shared: %s', (length, isShared) => {
  const { told: _, ...state } = withProperties(length)
  expect(readOnNextPage(state, isShared)).toEqual({
    ...state,
    superProperties: {},
    isPartial: true,
    initial: undefined,
  })
})
