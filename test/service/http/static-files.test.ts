import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withDefaults } from '../../../src/service/config.ts'
import { openApp } from '../support/app.ts'
import { tempFolder } from '../support/temp-folder.ts'

const openStatic = async () => {
  const folder = tempFolder()
  const staticFolder = join(folder, 'dist')
  mkdirSync(join(staticFolder, '1.2.3'), { recursive: true })
  writeFileSync(join(staticFolder, 'array.js'), 'window.array = 1')
  writeFileSync(join(staticFolder, '1.2.3', 'surveys.js'), 'window.surveys = 1')
  writeFileSync(join(staticFolder, '.secret'), 'secret')
  writeFileSync(join(folder, 'beside.js'), 'beside')
  writeFileSync(join(folder, 'package.json'), '{"version":"2.0.0"}')
  return openApp({ config: withDefaults({ staticFolder }) })
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

test.each(['/static/none.js', '/static/', '/static/.secret', '/static/../beside.js', '/static/%2e%2e/beside.js'])(
  'has nothing at %s',
  async (url) => {
    const { app } = await openStatic()
    const answer = await app.inject({ url })
    expect(answer.statusCode).toBeGreaterThanOrEqual(400)
    expect(answer.json().type).toBe('invalid_request')
  },
)

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
