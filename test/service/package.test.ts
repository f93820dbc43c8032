import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installPackages } from '../bench/install-packages.mjs'
import { waitForIndexer, parseKeys, queryRows, startService } from './support/service-process.ts'
import { createTempFolder } from './support/temp-folder.ts'

/** Compiled for this version of Node. Later ones use a library with its own binary. */
const NATIVE = 'node_modules/better-sqlite3-node-20/build/Release/better_sqlite3.node'
const isNode20 = process.version.startsWith('v20.')
const run = promisify(execFile)
const source = fileURLToPath(new URL('../../src/service/', import.meta.url))
/** Without the settings that `npm test` of this repository passes to child processes. */
const userEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
const readPackage = (folder: string): { version: string; dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const versionOf = (modules: string): string => readPackage(join(modules, 'better-sqlite3-node-20')).version

test('the package installs the native part of DuckDB that fits the bundled client', () => {
  const { dependencies } = readPackage(join(source, 'node_modules/@duckdb/node-api'))
  expect(readPackage(source).dependencies).toMatchObject(dependencies)
})

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-service-package-'))
  const modules = join(folder, 'node_modules')
  const script = join(modules, 'waymark-service/dist/main.js')
  const command = join(modules, '.bin/waymark-service')

  beforeAll(async () => {
    await run('npm', ['pack', '--pack-destination', folder], { cwd: source, env: userEnvironment })
    const [tarball = ''] = readdirSync(folder)
    expect(tarball).toMatch(/^waymark-service-.*\.tgz$/)
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    // Without the native part of better-sqlite3, which takes a minute to compile.
    const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    await run('npm', ['install', ...flags, join(folder, tarball)], { cwd: folder, env: userEnvironment })
    expect(versionOf(modules)).toBe(versionOf(join(source, 'node_modules')))
  }, 180_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.runIf(isNode20)('names the native part that npm did not install', async () => {
    const { stderr } = await run(command, ['serve', '--port', '0'], { cwd: folder }).catch((error) => error)
    expect(stderr).toMatch(/^waymark-service: The library better-sqlite3-node-20 has no native part .* npm rebuild/)
  })

  const storeEvent = async (node?: string): Promise<void> => {
    const service = await startService(createTempFolder(), { script, ...(node !== undefined && { node }) })
    const { apiKey, personalApiKey } = parseKeys(service.output())
    const response = await fetch(`${service.url}/i/v0/e/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: apiKey, event: 'packed', distinct_id: 'u' }),
    })
    expect(response.status).toBe(200)
    const agent = await fetch(`${service.url}/waymark.js`, { headers: { 'accept-encoding': 'br' } })
    expect([agent.status, agent.headers.get('content-encoding')]).toEqual([200, 'br'])
    expect(await agent.text()).toBe(
      readFileSync(fileURLToPath(new URL('../../dist/script.js', import.meta.url)), 'utf8'),
    )
    await waitForIndexer(service.url)
    expect(await queryRows(service.url, personalApiKey, 'select event from events')).toEqual([['packed']])
    expect(await service.end('SIGTERM')).toBe(0)
    expect(service.output()).not.toMatch(/warning/i)
  }

  test('starts, and stores an event', { timeout: 60_000 }, async () => {
    if (isNode20) cpSync(join(source, NATIVE), join(folder, NATIVE))
    const shipped = readdirSync(join(modules, 'waymark-service'))
    expect(shipped).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist']))
    const { stdout } = await run(command, ['--help'])
    expect(stdout).toContain('Usage: waymark-service')
    await storeEvent()
  })

  // npm carries Linux binaries of all versions of Node.
  describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('on other versions of Node', () => {
    test.each(['22', '24', '26'])('starts on Node %s, and stores an event', { timeout: 180_000 }, async (version) => {
      const versions = await installPackages(
        'node',
        new URL('../journey/toolchain/packages/node.json', import.meta.url),
      )
      await storeEvent(join(versions, `node_modules/node-${version}/bin/node`))
    })
  })
})
