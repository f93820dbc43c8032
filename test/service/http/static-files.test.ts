import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { withDefaults } from '../../../src/service/config.ts'
import { openApp } from '../support/app.ts'
import { tempFolder } from '../support/temp-folder.ts'

const openStatic = async (version: string | number = '2.0.0') => {
  const folder = tempFolder()
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
  /** Asks for a path as it stands, which `fetch` and `inject` resolve before. */
  const askRaw = (path: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode!, body }), reject)
      })
        .on('error', reject)
        .end()
    })
  return { ...opened, askRaw }
}

test('serves the scripts of the folder to any page, and tells 304 to who holds them', async () => {
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

test("serves the version that a page insists on: the package's own, or one in a folder of its name", async () => {
  const { app } = await openStatic()
  const ask = async (url: string) => {
    const { statusCode, body } = await app.inject({ url })
    return statusCode === 200 ? body : statusCode
  }
  expect(await ask('/static/2.0.0/array.js')).toBe('window.array = 1')
  expect(await ask('/static/1.2.3/surveys.js')).toBe('window.surveys = 1')
  expect(await ask('/static/1.2.3/array.js')).toBe(404)
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
])('has nothing at %s', async (path) => {
  const { askRaw } = await openStatic()
  const { status, body } = await askRaw(path)
  expect([status, JSON.parse(body)]).toEqual([
    404,
    { type: 'invalid_request', code: 'not_found', detail: `There is nothing at GET ${path}.`, attr: null },
  ])
})

test('refuses a path with a byte that no name has, and follows links inside the folder', async () => {
  const { askRaw } = await openStatic()
  expect((await askRaw('/static/a%00.js')).status).toBe(404)
  expect(await askRaw('/static/in.js')).toEqual({ status: 200, body: 'window.array = 1' })
})

test('tells browsers to take no file for what its name does not say', async () => {
  const { app } = await openStatic()
  expect((await app.inject({ url: '/static/array.js' })).headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
})

test.each(['../..', ':any', '*', 2])('serves no version that is none: %j', async (version) => {
  const { askRaw } = await openStatic(version)
  expect(await askRaw('/static/array.js')).toEqual({ status: 200, body: 'window.array = 1' })
  for (const path of ['/static/2/array.js', '/static/x/array.js']) expect((await askRaw(path)).status).toBe(404)
})

test('does not start on a folder that is that of the data, or holds it', async () => {
  const dataFolder = tempFolder()
  mkdirSync(join(dataFolder, 'in'))
  for (const [staticFolder, data] of [
    [dataFolder, dataFolder],
    [dataFolder, join(dataFolder, 'in')],
    [dataFolder, join(dataFolder, 'not yet')],
  ] as const) {
    const config = withDefaults({ staticFolder, dataFolder: data })
    await expect(openApp({ config })).rejects.toThrow('holds the data of the service')
  }
})

test('says without a folder how to give one', async () => {
  const { app } = await openApp()
  const answer = await app.inject({ url: '/static/array.js' })
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'no_static_folder'])
  expect(answer.json().detail).toContain('--static-folder')
})

test('does not start on a folder that is not there', async () => {
  const config = withDefaults({ staticFolder: '/nowhere/dist' })
  await expect(openApp({ config })).rejects.toThrow('There is no folder /nowhere/dist')
})
