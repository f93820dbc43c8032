import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { withDefaults } from '../../../src/service/config.ts'
import { openApp } from '../support/app.ts'
import { createTempFolder } from '../support/temp-folder.ts'

/**
 * Opens a service with a static folder: `dist` in the folder of a package with a version. `linked-inside.js` links to a file in
 * `dist`; `linked-outside.js` and `linked-outside` link out of it.
 */
const openAppWithStaticFolder = async (version: string | number = '2.0.0') => {
  const folder = createTempFolder()
  const staticFolder = join(folder, 'dist')
  mkdirSync(join(staticFolder, '1.2.3'), { recursive: true })
  writeFileSync(join(staticFolder, 'array.js'), 'window.array = 1')
  writeFileSync(join(staticFolder, '1.2.3', 'surveys.js'), 'window.surveys = 1')
  writeFileSync(join(staticFolder, '.secret'), 'secret')
  writeFileSync(join(folder, 'outside.js'), 'outside')
  writeFileSync(join(staticFolder, 'index.html'), 'index')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }))
  symlinkSync(join(folder, 'outside.js'), join(staticFolder, 'linked-outside.js'))
  symlinkSync(folder, join(staticFolder, 'linked-outside'))
  symlinkSync(join(staticFolder, 'array.js'), join(staticFolder, 'linked-inside.js'))
  const testApp = await openApp({ config: withDefaults({ staticFolder }) })
  await testApp.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = testApp.app.server.address() as AddressInfo
  /** Requests a path unchanged; `fetch` and `inject` would normalise it. */
  const getRaw = (path: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode!, body }), reject)
      })
        .on('error', reject)
        .end()
    })
  return { ...testApp, getRaw }
}

test('serves a script, and responds with 304 when the browser has it', async () => {
  const { app } = await openAppWithStaticFolder()
  const headers = { origin: 'https://shop.example' }
  const script = await app.inject({ url: '/static/array.js?v=1.2.3', headers })
  expect([script.statusCode, script.body]).toEqual([200, 'window.array = 1'])
  expect(script.headers).toMatchObject({
    'content-type': expect.stringContaining('javascript'),
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=300',
  })
  const revalidation = await app.inject({
    url: '/static/array.js',
    headers: { ...headers, 'if-none-match': String(script.headers['etag']) },
  })
  expect(revalidation.statusCode).toBe(304)
})

test('finds the version in the path as that of the package or as a subfolder', async () => {
  const { app } = await openAppWithStaticFolder()
  const getBodyOrStatus = async (url: string) => {
    const { statusCode, body } = await app.inject({ url })
    return statusCode === 200 ? body : statusCode
  }
  expect(await getBodyOrStatus('/static/2.0.0/array.js')).toBe('window.array = 1')
  expect(await getBodyOrStatus('/static/1.2.3/surveys.js')).toBe('window.surveys = 1')
  expect(await getBodyOrStatus('/static/1.2.3/array.js')).toBe(404)
})

test.each([
  '/static/none.js',
  '/static/',
  '/static/1.2.3/',
  '/static/.secret',
  '/static/../outside.js',
  '/static/%2e%2e/outside.js',
  '/static/%2e%2e%2foutside.js',
  '/static/..%5coutside.js',
  '/static/1.2.3/../../outside.js',
  '/static/2.0.0/../../outside.js',
  '/static/2.0.0/%2e%2e/outside.js',
  '/static//../outside.js',
  '/static/linked-outside.js',
  '/static/linked-outside/outside.js',
])('responds with 404 for %s', async (path) => {
  const { getRaw } = await openAppWithStaticFolder()
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

test('responds with 404 for a path with a null byte', async () => {
  const { getRaw } = await openAppWithStaticFolder()
  expect((await getRaw('/static/a%00.js')).status).toBe(404)
})

test('follows a symbolic link to a file in the folder', async () => {
  const { getRaw } = await openAppWithStaticFolder()
  expect(await getRaw('/static/linked-inside.js')).toEqual({ status: 200, body: 'window.array = 1' })
})

test('forbids browsers to guess the content type', async () => {
  const { app } = await openAppWithStaticFolder()
  expect((await app.inject({ url: '/static/array.js' })).headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
})

// The version becomes part of a route: "../.." would leave the path, ":any" and "*" would match every version.
test.each(['../..', ':any', '*', 2])('adds no route for the invalid package version %j', async (version) => {
  const { getRaw } = await openAppWithStaticFolder(version)
  expect(await getRaw('/static/array.js')).toEqual({ status: 200, body: 'window.array = 1' })
  for (const path of ['/static/2/array.js', '/static/x/array.js']) expect((await getRaw(path)).status).toBe(404)
})

test('does not start when the static folder contains the data folder', async () => {
  const dataFolder = createTempFolder()
  mkdirSync(join(dataFolder, 'existing'))
  for (const [staticFolder, data] of [
    [dataFolder, dataFolder],
    [dataFolder, join(dataFolder, 'existing')],
    [dataFolder, join(dataFolder, 'not-created-yet')],
  ] as const) {
    const config = withDefaults({ staticFolder, dataFolder: data })
    await expect(openApp({ config })).rejects.toThrow("contains the service's data")
  }
})

test('responds with the name of the missing option when no folder is configured', async () => {
  const { app } = await openApp()
  const response = await app.inject({ url: '/static/array.js' })
  expect([response.statusCode, response.json().code]).toEqual([404, 'no_static_folder'])
  expect(response.json().detail).toContain('--static-folder')
})

test('does not start when the static folder does not exist', async () => {
  const config = withDefaults({ staticFolder: '/nowhere/dist' })
  await expect(openApp({ config })).rejects.toThrow(
    '--static-folder is "/nowhere/dist", which is not an existing folder',
  )
})
