import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { waitForIndexer, parseKeys, queryRows, startService } from './support/service-process.ts'
import { createTempFolder } from './support/temp-folder.ts'

const NATIVE = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'
const run = promisify(execFile)
const source = fileURLToPath(new URL('../../src/service/', import.meta.url))
/** Without the settings that `npm test` of this repository passes to child processes. */
const userEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
const readPackage = (folder: string): { version: string; dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const versionOf = (modules: string): string => readPackage(join(modules, 'better-sqlite3')).version

test('the package installs the native part of DuckDB that fits the bundled client', () => {
  const { dependencies } = readPackage(join(source, 'node_modules/@duckdb/node-api'))
  expect(readPackage(source).dependencies).toMatchObject(dependencies)
})

test('the packed package installs, starts, and stores an event', { timeout: 180_000 }, async () => {
  const folder = createTempFolder()
  await run('npm', ['pack', '--pack-destination', folder], { cwd: source, env: userEnvironment })
  const [tarball = ''] = readdirSync(folder)
  expect(tarball).toMatch(/^waymark-service-.*\.tgz$/)

  const user = join(folder, 'user')
  mkdirSync(user)
  writeFileSync(join(user, 'package.json'), '{"private":true}')
  // Copies the native part of better-sqlite3 from this repository, instead of compiling it.
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...flags, join(folder, tarball)], { cwd: user, env: userEnvironment })
  const modules = join(user, 'node_modules')
  expect(versionOf(modules)).toBe(versionOf(join(source, 'node_modules')))
  const withoutNative = await run(join(modules, '.bin/waymark-service'), ['serve', '--port', '0'], { cwd: user }).catch(
    (error: { readonly stderr: string }) => error.stderr,
  )
  expect(withoutNative).toMatch(/^waymark-service: The library better-sqlite3 has no native part .* npm rebuild/)
  cpSync(join(source, NATIVE), join(user, NATIVE))

  const shipped = readdirSync(join(modules, 'waymark-service'))
  expect(shipped).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist']))
  const script = join(modules, 'waymark-service/dist/main.js')
  const { stdout } = await run(join(modules, '.bin/waymark-service'), ['--help'])
  expect(stdout).toContain('Usage: waymark-service')

  const service = await startService(join(folder, 'data'), { script })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const response = await fetch(`${service.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, event: 'packed', distinct_id: 'u' }),
  })
  expect(response.status).toBe(200)
  const agent = await fetch(`${service.url}/waymark.js`, { headers: { 'accept-encoding': 'br' } })
  expect([agent.status, agent.headers.get('content-encoding')]).toEqual([200, 'br'])
  expect(await agent.text()).toBe(readFileSync(fileURLToPath(new URL('../../dist/script.js', import.meta.url)), 'utf8'))
  await waitForIndexer(service.url)
  expect(await queryRows(service.url, personalApiKey, 'select event from events')).toEqual([['packed']])
  expect(await service.end('SIGTERM')).toBe(0)
})
