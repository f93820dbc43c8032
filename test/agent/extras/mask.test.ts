import { describe, expect, it } from 'vitest'
import { createMask } from '../../../src/agent/extras/mask.ts'
import type { MaskOptions } from '../../../src/agent/extras/mask.ts'

const mask = (options: MaskOptions, properties: Record<string, unknown>): Record<string, unknown> => {
  const event = { uuid: 'u', event: 'e', distinct_id: 'd', timestamp: 't', properties }
  return createMask(options)!(event).properties
}

describe('createMask', () => {
  it.each([{}, { maskProperties: [] }, { maskPaths: [], maskUrlParameters: [] }])('is undefined for %j', (options) => {
    expect(createMask(options)).toBeUndefined()
  })

  it('hides properties by name, in objects and as the first value too, but never the user', () => {
    const properties = {
      email: 'a@b.c',
      $set: { email: 1, plan: 'pro' },
      $initial_email: 'x',
      distinct_id: 'd',
      list: [{ email: 2 }],
    }
    expect(mask({ maskProperties: ['email', 'distinct_id'] }, properties)).toEqual({
      email: '***',
      $set: { email: '***', plan: 'pro' },
      $initial_email: '***',
      distinct_id: 'd',
      list: [{ email: '***' }],
    })
  })

  it.each([
    ['https://a.b/x?token=1&q=2#access=3', 'https://a.b/x?token=***&q=2#access=***'],
    ['https://a.b/?to%6ben=1', 'https://a.b/?to%6ben=***'],
    ['https://a.b/#/cart?token=1', 'https://a.b/#/cart?token=***'],
    ['https://a.b/?mytoken=1&token', 'https://a.b/?mytoken=1&token'],
    ['HTTPS://a.b?token=', 'HTTPS://a.b?token=***'],
    ['shop://login?token=1#access=2', 'shop://login?token=***#access=***'],
    ['exp://10.0.0.1:8081/--/login?token=1', 'exp://10.0.0.1:8081/--/login?token=***'],
    ['com.example.app:/signed-in?token=1', 'com.example.app:/signed-in?token=***'],
    ['no url ?token=1', 'no url ?token=1'],
    ['See https://a.b/?token=1 and more', 'See https://a.b/?token=1 and more'],
    ['{"u":"https://a.b/?token=1","v":2}', '{"u":"https://a.b/?token=1","v":2}'],
    ['a:href="https://a.b/?token=1"text="hi";div', 'a:href="https://a.b/?token=1"text="hi";div'],
    ['/no url?to=a://b&token=1', '/no url?to=a://b&token=1'],
  ])('hides parameters of %s', (url, masked) => {
    expect(mask({ maskUrlParameters: ['token', 'access'] }, { $current_url: url, $referrer: url })).toEqual({
      $current_url: masked,
      $referrer: masked,
    })
  })

  it('hides parameters of the URL that opened an app, whose path may begin right after the scheme', () => {
    expect(mask({ maskUrlParameters: ['token'] }, { url: 'shop:users/7?token=1' })).toEqual({
      url: 'shop:users/7?token=***',
    })
  })

  it('hides the campaign property of a masked parameter', () => {
    expect(mask({ maskUrlParameters: ['gclid'] }, { gclid: 'x', $session_entry_gclid: 'x', utm_source: 'ad' })).toEqual(
      {
        gclid: '***',
        $session_entry_gclid: '***',
        utm_source: 'ad',
      },
    )
  })

  it('hides all parameters, and no properties', () => {
    expect(mask({ maskUrlParameters: true }, { $current_url: 'https://a.b/?a=1&b=2', utm_source: 'ad' })).toEqual({
      $current_url: 'https://a.b/?a=***&b=***',
      utm_source: 'ad',
    })
  })

  it.each([
    ['/users/7', '/users/:id'],
    ['/users/7/orders/8?q=1', '/users/:id/orders/8?q=1'],
    ['/users/', '/users/'],
    ['/usersettings/7', '/usersettings/7'],
    ['/app#/users/7', '/app#/users/:id'],
    ['/users/7#!/teams/8', '/users/:id#!/teams/:team'],
  ])('hides segments of %s', (path, masked) => {
    const options = { maskPaths: ['/users/:id', '/teams/:team/'] }
    const properties = { $current_url: `https://a.b${path}`, $pathname: path, $screen_name: path, note: path }
    expect(mask(options, properties)).toEqual({
      $current_url: `https://a.b${masked}`,
      $pathname: masked,
      $screen_name: masked,
      note: path,
    })
  })

  it.each([
    ['shop://users/7/orders?q=1', 'shop://users/:id/orders?q=1'],
    ['shop:///users/7', 'shop:///users/:id'],
    ['shop:users/7', 'shop:users/7'],
    ['shop://home/users/7', 'shop://home/users/7'],
    ['https://a.b/users/7', 'https://a.b/users/:id'],
  ])('begins the path of %s after its scheme, or its host if it is a web address', (url, masked) => {
    expect(mask({ maskPaths: ['/users/:id'] }, { url })).toEqual({ url: masked })
  })
})
