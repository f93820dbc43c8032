import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBrowserKeyValue } from '../../../src/platform/browser/key-value.ts'
import type { CookieValue, KeyValueOptions } from '../../../src/platform/browser/key-value.ts'
import { keyValueContract } from '../../contract/key-value.ts'

let warnings: string[] = []
beforeEach(() => {
  warnings = []
})
interface OpenOptions extends KeyValueOptions {
  readonly prefix?: string
  readonly cookieKey?: string
  readonly toShared?: CookieValue['toShared']
  readonly durablePrefix?: string
}
const open = ({
  prefix = '',
  cookieKey = 'k',
  durablePrefix = 'durable',
  toShared = (value) => value,
  ...options
}: OpenOptions = {}) =>
  createBrowserKeyValue(
    prefix,
    options,
    { key: cookieKey, toShared, merge: (shared, own) => (own?.startsWith(shared) ? own : shared) },
    durablePrefix,
    (message) => warnings.push(message),
  )

const clear = () => {
  localStorage.clear()
  sessionStorage.clear()
  for (const cookie of document.cookie.split('; ')) document.cookie = `${cookie.split('=')[0]}=; path=/; max-age=-1`
}
beforeEach(clear)
afterEach(() => vi.unstubAllGlobals())

/** Makes the getters of storages throw, as in a sandboxed frame. */
const forbid = (...names: string[]) => {
  for (const name of names) {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, name)!
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
    })
    restores.push(() => Object.defineProperty(globalThis, name, descriptor))
  }
}
const restores: (() => void)[] = []
afterEach(() => restores.splice(0).forEach((restore) => restore()))

/** Replaces localStorage by a storage that refuses values longer than `maxLength`. */
const limitStorage = (maxLength: number, initial: Record<string, string> = {}) => {
  const values = new Map(Object.entries(initial))
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > maxLength) throw new DOMException('full', 'QuotaExceededError')
      values.set(key, value)
    },
    removeItem: (key: string) => values.delete(key),
    get length() {
      return values.size
    },
  })
}

/** Returns a function that opens an empty store. */
const createOpener =
  (options: OpenOptions, prepare = () => {}) =>
  () => {
    clear()
    prepare()
    return open(options)
  }
keyValueContract('localStorage', createOpener({}))
keyValueContract('localStorage with cookie', createOpener({ crossSubdomainCookie: true, cookieKey: 'waymark:k' }))
keyValueContract('sessionStorage', createOpener({ persistence: 'sessionStorage' }))
keyValueContract('memory', createOpener({ persistence: 'memory' }))
keyValueContract(
  'cookie',
  createOpener({ cookieKey: 'waymark:k' }, () => forbid('localStorage')),
)

describe('the chain of stores', () => {
  it('stores values in localStorage, and writes no cookie by default', () => {
    open().set('k', '1')
    expect(localStorage.getItem('k')).toBe('1')
    expect(document.cookie).toBe('')
  })

  it('accesses no storage before the first call', () => {
    forbid('localStorage', 'sessionStorage')
    const cookie = vi.spyOn(document, 'cookie', 'get')
    open({ crossSubdomainCookie: true })
    expect(cookie).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it('leaves no cookie after the search for a domain', () => {
    open({ crossSubdomainCookie: true }).set('k', '1')
    expect(document.cookie).toBe('k=1')
  })

  it('uses a cookie without localStorage', () => {
    forbid('localStorage')
    const store = open()
    expect(store.set('k', 'a;b=c é')).toBe(true)
    expect(open().get('k')).toBe('a;b=c é')
  })

  it('stores the whole value in a cookie that stands for localStorage', () => {
    forbid('localStorage')
    const toShared = (value: string): string => value.slice(0, 3)
    expect(open({ toShared }).set('k', 'abcdef')).toBe(true)
    sessionStorage.clear()
    expect([open().get('k'), warnings]).toEqual(['abcdef', []])
  })

  it('stores only the shared part there when the browser refuses the whole, and reads the rest in sessionStorage', () => {
    forbid('localStorage')
    const toShared = (value: string): string => value.slice(0, 3)
    const large = 'abc'.padEnd(5_000, 'x')
    let cookie = ''
    vi.stubGlobal('document', {
      get cookie() {
        return cookie
      },
      set cookie(input: string) {
        if (input.length < 4_096) cookie = input.split(';')[0]!
      },
    })
    expect(open({ toShared }).set('k', large)).toBe(true)
    expect([cookie, open().get('k')]).toEqual(['k=abc', large])
    sessionStorage.clear()
    expect([open().get('k'), warnings]).toEqual(['abc', []])
  })

  it('uses sessionStorage without cookies, and warns once', () => {
    forbid('localStorage')
    vi.spyOn(document, 'cookie', 'get').mockReturnValue('')
    const store = open()
    expect(store.set('k', '1')).toBe(false)
    expect(store.set('k', '2')).toBe(false)
    expect(sessionStorage.getItem('k')).toBe('2')
    expect(warnings).toHaveLength(1)
    vi.restoreAllMocks()
  })

  it('stores only `cookieKey` in a cookie', () => {
    forbid('localStorage')
    expect(open().set('other', '1')).toBe(false)
    expect(document.cookie).toBe('')
    expect(sessionStorage.getItem('other')).toBe('1')
  })

  it('falls back to memory, warns once and never throws', () => {
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

  it('does not warn with persistence: memory', () => {
    expect(open({ persistence: 'memory' }).set('k', '1')).toBe(true)
    expect([warnings, localStorage.length, sessionStorage.length, document.cookie]).toEqual([[], 0, 0, ''])
  })

  it('uses the next store when a store is full, and removes the old value there', () => {
    limitStorage(3)
    const store = open({ persistence: 'localStorage' })
    expect(store.set('k', 'abc')).toBe(true)
    expect(store.set('k', 'abcd')).toBe(false)
    expect(store.get('k')).toBe('abcd')
    expect(sessionStorage.getItem('k')).toBe('abcd')
    expect(open({ persistence: 'localStorage' }).get('k')).toBe('abcd')
    expect(warnings).toHaveLength(1)
  })

  it('stores keys with `durablePrefix` only in the first store', () => {
    limitStorage(3)
    const store = open({ durablePrefix: 'k' })
    expect(store.set('k', 'abc')).toBe(true)
    expect(store.set('k', 'abcd')).toBe(false)
    expect(store.get('k')).toBe('abc')
    expect([document.cookie, sessionStorage.length]).toEqual(['', 0])
    store.remove('k')
    expect(store.get('k')).toBeNull()
    expect(open({ durablePrefix: 'k', persistence: 'memory' }).set('k', 'abc')).toBe(false)
  })

  it.each([undefined, null, 'disk', 7])('treats persistence %j as localStorage+cookie', (persistence) => {
    expect(open({ persistence } as never).set('k', '1')).toBe(true)
    expect(localStorage.getItem('k')).toBe('1')
    clear()
    forbid('localStorage')
    expect(open({ persistence } as never).set('k', '1')).toBe(true)
    expect([document.cookie, sessionStorage.length]).toEqual(['k=1', 1])
  })

  it('reads a store that is already full', () => {
    limitStorage(0, { k: 'identity' })
    const store = open()
    expect(store.get('k')).toBe('identity')
    expect(store.set('k', 'new')).toBe(true)
    expect(store.get('k')).toBe('new')
  })

  it('reads the global storage object at each call', () => {
    const store = open()
    limitStorage(9)
    store.set('k', 'later')
    expect(localStorage.getItem('k')).toBe('later')
    vi.unstubAllGlobals()
    expect(store.get('k')).toBeNull()
  })
})

describe('the cross-subdomain cookie', () => {
  const shared = { crossSubdomainCookie: true }

  it('has a copy of the value of `cookieKey` only', () => {
    const store = open(shared)
    store.set('k', '1')
    store.set('other', '2')
    expect(document.cookie).toBe('k=1')
    expect(localStorage.getItem('k')).toBe('1')
  })

  it('takes precedence over localStorage, because another host may have written it', () => {
    const store = open(shared)
    store.set('k', 'here')
    document.cookie = 'k=there; path=/'
    expect(store.get('k')).toBe('there')
  })

  it('has only the part that is shared, and is completed by localStorage', () => {
    const store = open({ ...shared, toShared: (value) => value.slice(0, 3) })
    store.set('k', 'abcdef')
    expect([document.cookie, localStorage.getItem('k'), store.get('k')]).toEqual(['k=abc', 'abcdef', 'abcdef'])
    document.cookie = 'k=xyz; path=/'
    expect(store.get('k')).toBe('xyz')
  })

  it('is removed when the browser refuses a new value, with one warning', () => {
    const store = open(shared)
    store.set('k', 'small')
    let isRemoved = false
    vi.spyOn(document, 'cookie', 'set').mockImplementation((input) => void (isRemoved ||= /max-age=-1/.test(input)))
    expect([store.set('k', 'large'), store.set('k', 'large')]).toEqual([true, true])
    expect([isRemoved, localStorage.getItem('k'), warnings]).toEqual([
      true,
      'large',
      ['cookie refused: the identity is not shared'],
    ])
    vi.restoreAllMocks()
  })

  it('is removed with its key', () => {
    const store = open(shared)
    store.set('k', '1')
    store.remove('k')
    expect(document.cookie).toBe('')
    expect(store.get('k')).toBeNull()
  })

  it('is set for the widest domain that the browser accepts', () => {
    const jar = new Map<string, string>()
    vi.stubGlobal('location', { hostname: 'a.b.example.co.uk', protocol: 'https:' })
    vi.stubGlobal('document', {
      get cookie() {
        return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      },
      set cookie(input: string) {
        const [pair, ...attributes] = input.split('; ')
        const domain = attributes.find((attribute) => attribute.startsWith('domain='))?.slice(7)
        if (domain === 'co.uk' || domain === 'uk') return
        const [name, value] = pair!.split('=') as [string, string]
        if (attributes.includes('max-age=-1')) jar.delete(name)
        else jar.set(name, value)
        latestCookie = input
      },
    })
    let latestCookie = ''
    open(shared).set('k', '1')
    expect(latestCookie).toBe('k=1; path=/; max-age=31536000; samesite=lax; secure; domain=example.co.uk')
  })
})

describe('onChange', () => {
  const dispatchStorage = (key: string | null, storageArea: Storage = localStorage) =>
    window.dispatchEvent(Object.assign(new Event('storage'), { key, storageArea }))

  it("reports other tabs' changes of localStorage until it is stopped", () => {
    const changedKeys: string[] = []
    const end = open({ prefix: 'own_' }).onChange((key) => changedKeys.push(key))
    dispatchStorage('own_k')
    dispatchStorage('own_s', sessionStorage)
    dispatchStorage('other_k')
    dispatchStorage(null)
    end()
    dispatchStorage('own_late')
    expect(changedKeys).toEqual(['k'])
  })
})
