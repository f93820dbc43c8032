import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { withDefaults } from '../../../src/service/config.ts'
import { openApp } from '../support/app.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const openStatic = async (version: string | number = '2.0.0') => {
  const folder = createTempFolder()
  const staticFolder = join(folder, 'dist')
  mkdirSync(join(staticFolder, '1.2.3'), { recursive: true })
  writeFileSync(join(staticFolder, 'array.js'), 'window.array = 1')
  writeFileSync(join(staticFolder, '1.2.3', 'surveys.js'), 'window.surveys = 1')
  writeFileSync(join(staticFolder, '.secret'), 'secret')
  writeFileSync(join(folder, 'beside.js'), 'beside')
  writeFileSync(join(staticFolder, 'index.html'), 'index')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }))
  symlinkSync(join(folder, 'beside.js'), join(staticFolder, 'out.js'))
  symlinkSync(folder, join(staticFolder, 'out'))
  symlinkSync(join(staticFolder, 'array.js'), join(staticFolder, 'in.js'))
  const opened = await openApp({ config: withDefaults({ staticFolder }) })
  await opened.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = opened.app.server.address() as AddressInfo
  /** Requests a path unchanged; `fetch` and `inject` would normalise it. */
  const getRaw = (path: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode!, body }), reject)
      })
        .on('error', reject)
        .end()
    })
  return { ...opened, getRaw }
}

test('serves the scripts of the folder, and 304 for cached ones', async () => {
  const { app } = await openStatic()
  const headers = { origin: 'https://shop.example' }
  const script = await app.inject({ url: '/static/array.js?v=1.2.3', headers })
  expect([script.statusCode, script.body]).toEqual([200, 'window.array = 1'])
  expect(script.headers).toMatchObject({
    'content-type': expect.stringContaining('javascript'),
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=300',
  })
  const again = await app.inject({
    url: '/static/array.js',
    headers: { ...headers, 'if-none-match': String(script.headers['etag']) },
  })
  expect(again.statusCode).toBe(304)
})

test("serves the version in the path: the package's own or a subfolder", async () => {
  const { app } = await openStatic()
  const get = async (url: string) => {
    const { statusCode, body } = await app.inject({ url })
    return statusCode === 200 ? body : statusCode
  }
  expect(await get('/static/2.0.0/array.js')).toBe('window.array = 1')
  expect(await get('/static/1.2.3/surveys.js')).toBe('window.surveys = 1')
  expect(await get('/static/1.2.3/array.js')).toBe(404)
})

test.each([
  '/static/none.js',
  '/static/',
  '/static/1.2.3/',
  '/static/.secret',
  '/static/../beside.js',
  '/static/%2e%2e/beside.js',
  '/static/%2e%2e%2fbeside.js',
  '/static/..%5cbeside.js',
  '/static/1.2.3/../../beside.js',
  '/static/2.0.0/../../beside.js',
  '/static/2.0.0/%2e%2e/beside.js',
  '/static//../beside.js',
  '/static/out.js',
  '/static/out/beside.js',
])('responds with 404 at %s', async (path) => {
  const { getRaw } = await openStatic()
  const { status, body } = await getRaw(path)
  expect([status, JSON.parse(body)]).toEqual([
    404,
    {
      type: 'invalid_request',
      code: 'not_found',
      detail: `No route or file matches GET ${path}. Check the method and path.`,
      attr: null,
    },
  ])
})

test('rejects a null byte, and follows links inside the folder', async () => {
  const { getRaw } = await openStatic()
  expect((await getRaw('/static/a%00.js')).status).toBe(404)
  expect(await getRaw('/static/in.js')).toEqual({ status: 200, body: 'window.array = 1' })
})

test('forbids browsers to guess the content type', async () => {
  const { app } = await openStatic()
  expect((await app.inject({ url: '/static/array.js' })).headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
})

test.each(['../..', ':any', '*', 2])('ignores the invalid version %j', async (version) => {
  const { getRaw } = await openStatic(version)
  expect(await getRaw('/static/array.js')).toEqual({ status: 200, body: 'window.array = 1' })
  for (const path of ['/static/2/array.js', '/static/x/array.js']) expect((await getRaw(path)).status).toBe(404)
})

test('does not start when the folder contains the data folder', async () => {
  const dataFolder = createTempFolder()
  mkdirSync(join(dataFolder, 'in'))
  for (const [staticFolder, data] of [
    [dataFolder, dataFolder],
    [dataFolder, join(dataFolder, 'in')],
    [dataFolder, join(dataFolder, 'not yet')],
  ] as const) {
    const config = withDefaults({ staticFolder, dataFolder: data })
    await expect(openApp({ config })).rejects.toThrow("contains the service's data")
  }
})

test('names the option when no folder is configured', async () => {
  const { app } = await openApp()
  const response = await app.inject({ url: '/static/array.js' })
  expect([response.statusCode, response.json().code]).toEqual([404, 'no_static_folder'])
  expect(response.json().detail).toContain('--static-folder')
})

test('does not start when the folder is missing', async () => {
  const config = withDefaults({ staticFolder: '/nowhere/dist' })
  await expect(openApp({ config })).rejects.toThrow('The folder /nowhere/dist of --static-folder does not exist')
})
