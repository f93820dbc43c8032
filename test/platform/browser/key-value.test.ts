import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { browserKeyValue } from '../../../src/platform/browser/key-value.ts'
import type { KeyValueOptions } from '../../../src/platform/browser/key-value.ts'
import { keyValueContract } from '../../contract/key-value.ts'

let warnings: string[] = []
beforeEach(() => {
  warnings = []
})
const open = (options: Partial<KeyValueOptions> = {}) =>
  browserKeyValue({
    prefix: '',
    persistence: 'localStorage+cookie',
    cookieKey: 'k',
    warn: (message) => warnings.push(message),
    ...options,
  })

const clear = () => {
  localStorage.clear()
  sessionStorage.clear()
  for (const cookie of document.cookie.split('; ')) document.cookie = `${cookie.split('=')[0]}=; path=/; max-age=-1`
}
beforeEach(clear)
afterEach(() => vi.unstubAllGlobals())

/** A store that the page may not even look at, as in a sandboxed frame. */
const forbid = (...names: string[]) => {
  for (const name of names) {
    const own = Object.getOwnPropertyDescriptor(globalThis, name)!
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
    })
    restores.push(() => Object.defineProperty(globalThis, name, own))
  }
}
const restores: (() => void)[] = []
afterEach(() => restores.splice(0).forEach((restore) => restore()))

/** localStorage with a fixed number of bytes left. */
const fill = (room: number, held: Record<string, string> = {}) => {
  const values = new Map(Object.entries(held))
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > room) throw new DOMException('full', 'QuotaExceededError')
      values.set(key, value)
    },
    removeItem: (key: string) => values.delete(key),
    get length() {
      return values.size
    },
  })
}

const fresh =
  (options: Partial<KeyValueOptions>, before = () => {}) =>
  () => {
    clear()
    before()
    return open(options)
  }
keyValueContract('localStorage', fresh({}))
keyValueContract('localStorage with cookie', fresh({ crossSubdomainCookie: true, cookieKey: 'waymark:k' }))
keyValueContract('sessionStorage', fresh({ persistence: 'sessionStorage' }))
keyValueContract('memory', fresh({ persistence: 'memory' }))
keyValueContract(
  'cookie',
  fresh({ cookieKey: 'waymark:k' }, () => forbid('localStorage')),
)

describe('the chain', () => {
  it('keeps texts in localStorage, and writes no cookie unasked', () => {
    open().set('k', '1')
    expect(localStorage.getItem('k')).toBe('1')
    expect(document.cookie).toBe('')
  })

  it('touches nothing before the first call', () => {
    forbid('localStorage', 'sessionStorage')
    const cookie = vi.spyOn(document, 'cookie', 'get')
    open({ crossSubdomainCookie: true })
    expect(cookie).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it('leaves no trace of trying domains', () => {
    open({ crossSubdomainCookie: true }).set('k', '1')
    expect(document.cookie).toBe('k=1')
  })

  it('goes on with a cookie without localStorage', () => {
    forbid('localStorage')
    const store = open()
    expect(store.set('k', 'a;b=c é')).toBe(true)
    expect(open().get('k')).toBe('a;b=c é')
  })

  it('goes on with sessionStorage without cookies, and warns once that it ends with the tab', () => {
    forbid('localStorage')
    vi.spyOn(document, 'cookie', 'get').mockReturnValue('')
    const store = open()
    expect(store.set('k', '1')).toBe(false)
    expect(store.set('k', '2')).toBe(false)
    expect(sessionStorage.getItem('k')).toBe('2')
    expect(warnings).toHaveLength(1)
    vi.restoreAllMocks()
  })

  it('puts no key in a cookie but the one that may lie there: each request of the site would carry it', () => {
    forbid('localStorage')
    expect(open().set('other', '1')).toBe(false)
    expect(document.cookie).toBe('')
    expect(sessionStorage.getItem('other')).toBe('1')
  })

  it('ends in memory, warns of it once, and never throws', () => {
    forbid('localStorage', 'sessionStorage')
    vi.spyOn(document, 'cookie', 'get').mockImplementation(() => {
      throw new DOMException('sandboxed', 'SecurityError')
    })
    const store = open({ crossSubdomainCookie: true })
    expect(store.set('k', '1')).toBe(false)
    expect(store.set('k', '2')).toBe(false)
    expect(store.get('k')).toBe('2')
    expect(warnings).toHaveLength(1)
    expect(open().get('k')).toBeNull()
    store.remove('k')
    expect(store.get('k')).toBeNull()
    store.onChange(() => {})()
    vi.restoreAllMocks()
  })

  it('in memory alone, when asked for, is no reason to warn', () => {
    expect(open({ persistence: 'memory' }).set('k', '1')).toBe(true)
    expect([warnings, localStorage.length, sessionStorage.length, document.cookie]).toEqual([[], 0, 0, ''])
  })

  it('goes on with the next store when one is full, and reads no old value from the full one', () => {
    fill(3)
    const store = open({ persistence: 'localStorage' })
    expect(store.set('k', 'abc')).toBe(true)
    expect(store.set('k', 'abcd')).toBe(false)
    expect(store.get('k')).toBe('abcd')
    expect(sessionStorage.getItem('k')).toBe('abcd')
    expect(open({ persistence: 'localStorage' }).get('k')).toBe('abcd')
    expect(warnings).toHaveLength(1)
  })

  it('keeps the safe key in its first store or leaves it as it was: no other one lasts as long', () => {
    fill(3)
    const store = open({ safeKey: 'k' })
    expect(store.set('k', 'abc')).toBe(true)
    expect(store.set('k', 'abcd')).toBe(false)
    expect(store.get('k')).toBe('abc')
    expect([document.cookie, sessionStorage.length]).toEqual(['', 0])
    store.remove('k')
    expect(store.get('k')).toBeNull()
    expect(open({ safeKey: 'k', persistence: 'memory' }).set('k', 'abc')).toBe(false)
  })

  it.each([undefined, null, 'disk', 7])('takes persistence: %j for localStorage+cookie', (persistence) => {
    expect(open({ persistence } as never).set('k', '1')).toBe(true)
    expect(localStorage.getItem('k')).toBe('1')
    clear()
    forbid('localStorage')
    expect(open({ persistence } as never).set('k', '1')).toBe(true)
    expect([document.cookie, sessionStorage.length]).toEqual(['k=1', 0])
  })

  it('reads a store that is full from the start', () => {
    fill(0, { k: 'identity' })
    const store = open()
    expect(store.get('k')).toBe('identity')
    expect(store.set('k', 'new')).toBe(true)
    expect(store.get('k')).toBe('new')
  })

  it('uses the storage of the moment, not that of the start', () => {
    const store = open()
    fill(9)
    store.set('k', 'later')
    expect(localStorage.getItem('k')).toBe('later')
    vi.unstubAllGlobals()
    expect(store.get('k')).toBeNull()
  })
})

describe('the cross-subdomain cookie', () => {
  const shared = { crossSubdomainCookie: true }

  it('mirrors the marked keys only', () => {
    const store = open(shared)
    store.set('k', '1')
    store.set('other', '2')
    expect(document.cookie).toBe('k=1')
    expect(localStorage.getItem('k')).toBe('1')
  })

  it('wins over localStorage: another host may have written it since', () => {
    const store = open(shared)
    store.set('k', 'here')
    document.cookie = 'k=there; path=/'
    expect(store.get('k')).toBe('there')
  })

  it('steps back for a value above 2 KB', () => {
    const store = open(shared)
    store.set('k', 'small')
    expect(store.set('k', 'x'.repeat(2049))).toBe(true)
    expect(document.cookie).toBe('')
    expect(store.get('k')).toHaveLength(2049)
  })

  it('goes when its key is removed', () => {
    const store = open(shared)
    store.set('k', '1')
    store.remove('k')
    expect(document.cookie).toBe('')
    expect(store.get('k')).toBeNull()
  })

  it('is set for the widest domain that the browser allows', () => {
    const jar = new Map<string, string>()
    vi.stubGlobal('location', { hostname: 'a.b.example.co.uk', protocol: 'https:' })
    vi.stubGlobal('document', {
      get cookie() {
        return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      },
      set cookie(text: string) {
        const [pair, ...attributes] = text.split('; ')
        const domain = attributes.find((attribute) => attribute.startsWith('domain='))?.slice(7)
        if (domain === 'co.uk' || domain === 'uk') return
        const [name, value] = pair!.split('=') as [string, string]
        if (attributes.includes('max-age=-1')) jar.delete(name)
        else jar.set(name, value)
        written = text
      },
    })
    let written = ''
    open(shared).set('k', '1')
    expect(written).toBe('k=1; path=/; max-age=31536000; samesite=lax; secure; domain=example.co.uk')
  })
})

describe('onChange', () => {
  const tell = (key: string | null, storageArea: Storage = localStorage) =>
    window.dispatchEvent(Object.assign(new Event('storage'), { key, storageArea }))

  it("tells other tabs' changes of localStorage, until it is ended", () => {
    const seen: string[] = []
    const end = open({ prefix: 'own_' }).onChange((key) => seen.push(key))
    tell('own_k')
    tell('own_s', sessionStorage)
    tell('other_k')
    tell(null)
    end()
    tell('own_late')
    expect(seen).toEqual(['k'])
  })
})
