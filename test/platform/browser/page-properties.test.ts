import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pageProperties } from '../../../src/platform/browser/page-properties.ts'
import { visit } from '../../support/visit.ts'

beforeEach(() => visit('https://shop.example.com:8443/cart?x=1#top'))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('automatic properties', () => {
  it('tell the address, the referrer, the screen, the window and the platform', () => {
    vi.spyOn(document, 'referrer', 'get').mockReturnValue('https://search.example.org/find?q=shoes')
    expect(pageProperties()()).toEqual({
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
    })
  })

  it('take the time zone from Temporal where there is one, and leave the slow Intl alone', () => {
    const intl = vi.spyOn(Intl, 'DateTimeFormat')
    vi.stubGlobal('Temporal', { Now: { timeZoneId: () => 'Europe/Vienna' } })
    expect(pageProperties()().$timezone).toBe('Europe/Vienna')
    expect(intl).not.toHaveBeenCalled()
  })

  it('say $direct without a referrer', () => {
    expect(pageProperties()()).toMatchObject({ $referrer: '$direct', $referring_domain: '$direct' })
  })

  it('are not misled by a form of the page that is named like the referrer', () => {
    const form = document.createElement('form')
    vi.spyOn(document, 'referrer', 'get').mockReturnValue(form as unknown as string)
    expect(pageProperties()()).toMatchObject({ $referrer: '$direct', $referring_domain: '$direct' })
  })

  it('take campaign marks from the address, and nothing else', () => {
    visit(
      'https://a.example/?utm_source=news&utm_campaign=may%20day&gclid=g1&fbclid=f1&mc_cid=m&cid=no&clid=no&utm_medium=',
    )
    const names = Object.keys(pageProperties()()).filter((name) => !name.startsWith('$'))
    expect(names.sort()).toEqual(['fbclid', 'gclid', 'mc_cid', 'utm_campaign', 'utm_source'])
    expect(pageProperties()().utm_campaign).toBe('may day')
  })

  it.each([
    'utm_source utm_medium utm_campaign utm_content utm_term gad_source mc_cid gclid gclsrc dclid gbraid wbraid fbclid',
    'msclkid twclid li_fat_id igshid ttclid rdt_cid epik qclid sccid irclid _kx',
  ])('knows the marks %s', (names) => {
    for (const name of names.split(' ')) {
      visit(`https://a.example/?${name}=1`)
      expect(pageProperties()()[name], name).toBe('1')
    }
  })

  it('follow the address, and forget the campaign of the page before', () => {
    visit('https://a.example/one?utm_source=news')
    const now = pageProperties()
    expect(now().$pathname).toBe('/one')
    visit('https://a.example/two')
    expect(now()).toMatchObject({ $pathname: '/two', $current_url: 'https://a.example/two' })
    expect(now().utm_source).toBeUndefined()
  })

  it('follow the size of the window', () => {
    const now = pageProperties()
    now()
    vi.stubGlobal('innerWidth', 321)
    expect(now().$viewport_width).not.toBe(321)
    window.dispatchEvent(new Event('resize'))
    expect(now().$viewport_width).toBe(321)
  })

  it('are the same object as long as nothing changes', () => {
    const now = pageProperties()
    expect(now()).toBe(now())
  })

  it('are what the platform tells where there is no page', () => {
    vi.stubGlobal('document', undefined)
    vi.stubGlobal('location', undefined)
    const { $raw_user_agent, $current_url } = pageProperties()()
    expect([$raw_user_agent, $current_url]).toEqual([navigator.userAgent, undefined])
    vi.stubGlobal('navigator', undefined)
    expect(pageProperties()()).toEqual({})
  })
})
