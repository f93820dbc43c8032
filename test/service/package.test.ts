import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installPackages } from '../support/install-packages.mjs'
import { USER_ENVIRONMENT } from '../support/user-environment.ts'
import { waitForIndexer, parseKeys, queryRows, startService } from './support/service-process.ts'
import { createTempFolder } from './support/temp-folder.ts'

/** Compiled for this version of Node. Later ones use a library with its own binary. */
const NATIVE = 'node_modules/better-sqlite3-node-20/build/Release/better_sqlite3.node'
const isCompiled = Number(process.versions.napi) < 10
const run = promisify(execFile)
const source = fileURLToPath(new URL('../../src/service/', import.meta.url))
const readPackage = (folder: string): { dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

test('the package installs the native part of DuckDB that fits the bundled client', () => {
  const { dependencies } = readPackage(join(source, 'node_modules/@duckdb/node-api'))
  expect(readPackage(source).dependencies).toMatchObject(dependencies)
})

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-service-package-'))
  const user = join(folder, 'user')
  const modules = join(user, 'node_modules')
  const command = join(modules, '.bin/waymark-service')
  const serve = async (): Promise<string> =>
    (await run(command, ['serve', '--port', '0'], { cwd: user }).catch((error) => error)).stderr

  /**
   * Installs the package as a user of a version of Node does: npm leaves out what does not fit it. Install scripts do not run: only Node 20
   * needs one, which compiles for a minute.
   *
   * @param nodeFolder The folder of the program `node`. Default: the Node that runs the tests.
   */
  const install = async (target: string, nodeFolder = dirname(process.execPath)): Promise<void> => {
    mkdirSync(target)
    writeFileSync(join(target, 'package.json'), '{"private":true}')
    const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    const env = { ...USER_ENVIRONMENT, PATH: `${nodeFolder}:${process.env['PATH']}` }
    await run('npm', ['install', ...flags, join(folder, tarball)], { cwd: target, env })
  }
  let tarball = ''

  beforeAll(async () => {
    await run('npm', ['pack', '--pack-destination', folder], { cwd: source, env: USER_ENVIRONMENT })
    tarball = readdirSync(folder)[0] ?? ''
    expect(tarball).toMatch(/^waymark-service-.*\.tgz$/)
    await install(user)
  }, 180_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.runIf(isCompiled)('names the native part that npm did not install', async () => {
    expect(await serve()).toMatch(
      /^waymark-service: The library better-sqlite3-node-20 has no native part .* npm rebuild/,
    )
  })

  test.runIf(isCompiled)('names the library whose build failed, which npm then removes', async () => {
    const [library, elsewhere] = [join(modules, 'better-sqlite3-node-20'), join(folder, 'removed')]
    renameSync(library, elsewhere)
    const stderr = await serve()
    renameSync(elsewhere, library)
    expect(stderr).toMatch(/^waymark-service: The library better-sqlite3-node-20 is not installed: .* C\+\+ compiler/)
  })

  const storeEvent = async (installed: string, node = process.execPath): Promise<void> => {
    const script = join(installed, 'node_modules/waymark-service/dist/main.js')
    const service = await startService(createTempFolder(), { script, node })
    const { apiKey, personalApiKey } = parseKeys(service.output())
    const response = await fetch(`${service.url}/i/v0/e/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: apiKey, event: 'packed', distinct_id: 'u' }),
    })
    expect(response.status).toBe(200)
    const agent = await fetch(`${service.url}/waymark.js`, { headers: { 'accept-encoding': 'br' } })
    expect([agent.status, agent.headers.get('content-encoding')]).toEqual([200, 'br'])
    expect(await agent.text()).toBe(
      readFileSync(fileURLToPath(new URL('../../dist/script-core.js', import.meta.url)), 'utf8'),
    )
    await waitForIndexer(service.url)
    expect(await queryRows(service.url, personalApiKey, 'select event from events')).toEqual([['packed']])
    expect(await service.end('SIGTERM')).toBe(0)
    expect(service.output()).not.toMatch(/warning/i)
  }

  test('starts, and stores an event', { timeout: 60_000 }, async () => {
    if (isCompiled) cpSync(join(source, NATIVE), join(user, NATIVE))
    const shipped = readdirSync(join(modules, 'waymark-service'))
    expect(shipped).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist']))
    const { stdout } = await run(command, ['--help'])
    expect(stdout).toContain('Usage: waymark-service')
    await storeEvent(user)
  })

  // npm carries Linux binaries of all versions of Node.
  describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('on other versions of Node', () => {
    const later = join(folder, 'later')
    let versions = ''
    const binOf = (version: string): string => join(versions, `node_modules/node-${version}/bin`)
    beforeAll(async () => {
      versions = await installPackages('node', new URL('../journey/toolchain/packages/node.json', import.meta.url))
      await install(later, binOf('22'))
    }, 180_000)

    test.each(['22', '24', '26'])('starts on Node %s, and stores an event', { timeout: 180_000 }, async (version) => {
      await storeEvent(later, join(binOf(version), 'node'))
    })
  })
})
