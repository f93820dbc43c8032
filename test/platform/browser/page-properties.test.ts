import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPageProperties } from '../../../src/platform/browser/page-properties.ts'
import { visit } from '../../support/visit.ts'

beforeEach(() => visit('https://shop.example.com:8443/cart?x=1#top'))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('automatic properties', () => {
  it('contain URL, referrer, screen, window and platform', () => {
    vi.spyOn(document, 'referrer', 'get').mockReturnValue('https://search.example.org/find?q=shoes')
    expect(createPageProperties()()).toEqual({
      $current_url: 'https://shop.example.com:8443/cart?x=1#top',
      $host: 'shop.example.com:8443',
      $pathname: '/cart',
      $referrer: 'https://search.example.org/find?q=shoes',
      $referring_domain: 'search.example.org',
      $screen_height: screen.height,
      $screen_width: screen.width,
      $viewport_height: innerHeight,
      $viewport_width: innerWidth,
      $raw_user_agent: navigator.userAgent,
      $browser_language: navigator.language,
      $browser_language_prefix: navigator.language.slice(0, 2),
      $timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      $timezone_offset: new Date().getTimezoneOffset(),
      $os: expect.any(String) as string,
      $device_type: 'Desktop',
      // The DOM of the tests says of itself that it is automated.
      $is_bot: true,
    })
  })

  it('lack only what the environment refuses to read', () => {
    const refuse = (): never => {
      throw new Error('refused')
    }
    vi.spyOn(screen, 'width', 'get').mockImplementation(refuse)
    vi.spyOn(window, 'innerHeight', 'get').mockImplementation(refuse)
    const properties = createPageProperties()()
    expect([properties.$screen_width, properties.$viewport_height]).toEqual([undefined, undefined])
    expect(properties).toMatchObject({ $screen_height: screen.height, $viewport_width: innerWidth, $pathname: '/cart' })
  })

  it('read the time zone from Temporal instead of the slow Intl', () => {
    const intl = vi.spyOn(Intl, 'DateTimeFormat')
    vi.stubGlobal('Temporal', { Now: { timeZoneId: () => 'Europe/Vienna' } })
    expect(createPageProperties()().$timezone).toBe('Europe/Vienna')
    expect(intl).not.toHaveBeenCalled()
  })

  it('contain $direct without a referrer', () => {
    expect(createPageProperties()()).toMatchObject({ $referrer: '$direct', $referring_domain: '$direct' })
  })

  it('ignore a form of the page that is named `referrer`', () => {
    const form = document.createElement('form')
    vi.spyOn(document, 'referrer', 'get').mockReturnValue(form as unknown as string)
    expect(createPageProperties()()).toMatchObject({ $referrer: '$direct', $referring_domain: '$direct' })
  })

  it('contain the campaign parameters of the URL, and no other parameters', () => {
    visit(
      'https://a.example/?utm_source=news&utm_campaign=may%20day&gclid=g1&fbclid=f1&mc_cid=m&cid=no&clid=no&utm_medium=',
    )
    const names = Object.keys(createPageProperties()()).filter((name) => !name.startsWith('$'))
    expect(names.sort()).toEqual(['fbclid', 'gclid', 'mc_cid', 'utm_campaign', 'utm_source'])
    expect(createPageProperties()().utm_campaign).toBe('may day')
  })

  it.each([
    'utm_source utm_medium utm_campaign utm_content utm_term gad_source mc_cid gclid gclsrc dclid gbraid wbraid fbclid',
    'msclkid twclid li_fat_id igshid ttclid rdt_cid epik qclid sccid irclid _kx',
  ])('recognise the parameters %s', (names) => {
    for (const name of names.split(' ')) {
      visit(`https://a.example/?${name}=1`)
      expect(createPageProperties()()[name], name).toBe('1')
    }
  })

  it('contain the first value of a repeated campaign parameter', () => {
    visit('https://a.example/?utm_source=&utm_source=first&gclid=1&utm_source=second&gclid=2')
    expect(createPageProperties()()).toMatchObject({ utm_source: 'first', gclid: '1' })
  })

  it('contain the referring domain where the page has its own URL, and everything else without its parameters', () => {
    vi.spyOn(document, 'referrer', 'get').mockReturnValue('https://search.example.org:8443/find?q=shoes')
    vi.stubGlobal('URL', '/api/')
    vi.stubGlobal('URLSearchParams', {})
    vi.stubGlobal('Temporal', document.createElement('div'))
    expect(createPageProperties()()).toMatchObject({
      $referring_domain: 'search.example.org:8443',
      $pathname: location.pathname,
      $timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    })
  })

  it('change with the URL, and do not contain the campaign of the previous page', () => {
    visit('https://a.example/one?utm_source=news')
    const getProperties = createPageProperties()
    expect(getProperties().$pathname).toBe('/one')
    visit('https://a.example/two')
    expect(getProperties()).toMatchObject({ $pathname: '/two', $current_url: 'https://a.example/two' })
    expect(getProperties().utm_source).toBeUndefined()
  })

  it('change with the size of the window', () => {
    const getProperties = createPageProperties()
    getProperties()
    vi.stubGlobal('innerWidth', 321)
    expect(getProperties().$viewport_width).not.toBe(321)
    window.dispatchEvent(new Event('resize'))
    expect(getProperties().$viewport_width).toBe(321)
  })

  it('are the same object while URL and window size do not change', () => {
    const getProperties = createPageProperties()
    expect(getProperties()).toBe(getProperties())
  })

  it('contain only the platform’s properties without a page', () => {
    vi.stubGlobal('document', undefined)
    vi.stubGlobal('location', undefined)
    const { $raw_user_agent, $current_url } = createPageProperties()()
    expect([$raw_user_agent, $current_url]).toEqual([navigator.userAgent, undefined])
    vi.stubGlobal('navigator', undefined)
    expect(createPageProperties()()).toEqual({})
  })
})
