import { expect, test } from 'vitest'
import { openApp } from '../support/app.ts'

const origin = 'https://shop.example'

test('allows requests from any origin and lets browsers cache the preflight', async () => {
  const { app } = await openApp()
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/batch/',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-encoding',
    },
  })
  expect(preflight.statusCode).toBe(204)
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-allow-headers': 'content-encoding',
    'access-control-max-age': '86400',
  })
  const rejected = await app.inject({ method: 'POST', url: '/batch/', payload: '{', headers: { origin } })
  expect(rejected.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Allow, Content-Disposition, ETag, Retry-After, waymark-has-more',
    vary: 'Origin',
  })
})

test.each([
  ['/i/v0/e/?ip=1'],
  ['/e/?compression=gzip-js'],
  ['/e'],
  ['/capture/'],
  ['/track/'],
  ['/batch/?_=1'],
  ['/engage/?ip=1'],
  ['/s/?compression=gzip-js'],
  ['/decide/?v=3'],
  ['/flags/?v=2'],
  ['/array/wm_key/config'],
  ['/array/wm_key/config.js'],
  ['/api/early_access_features/?token=wm_key'],
  ['/api/surveys/?token=wm_key'],
  ['/api/web_experiments/?token=wm_key'],
])('sends the origin of the request in the response of the public path %s', async (url) => {
  const { app } = await openApp()
  const { headers } = await app.inject({ method: 'GET', url, headers: { origin } })
  expect(headers).toMatchObject({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' })
})

test.each([
  ['/api/environments/1/query/'],
  ['/flags/definitions?token=x'],
  ['/healthz'],
  ['/static/array.js'],
  ['/waymark.js'],
  ['/x'],
])('allows no requests with credentials at the private path %s', async (url) => {
  const { app } = await openApp()
  const { headers } = await app.inject({ method: 'GET', url, headers: { origin } })
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers).not.toHaveProperty('access-control-allow-credentials')
})
