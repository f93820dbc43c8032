import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder } from '../service/support/temp-folder.ts'
import { USER_ENVIRONMENT } from '../support/user-environment.ts'

// Imported by URL, because the demo is outside the TypeScript project of the tests.
const demoModule = new URL('../../demo/build-if-changed.mjs', import.meta.url).href
const {
  isBuilt,
  listEntries,
}: { isBuilt(root: string, programs?: readonly string[]): boolean; listEntries(root: string): string[] } = await import(
  demoModule
)

const SOURCES = [
  'src/capture/queue.ts',
  'rollup.config.mjs',
  'test/config/vitest.config.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]
const PROGRAMS = [
  'dist/script.js',
  'dist/management.js',
  'src/service/dist/main.js',
  'src/service/dist/index.js',
  'src/service/dist/indexer.js',
  'src/service/dist/body-thread.js',
]

const writeAt = (root: string, path: string, seconds: number): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), '')
  utimesSync(join(root, path), seconds, seconds)
}

/** Creates a folder with sources and newer programs. */
const createCheckout = (): string => {
  const root = createTempFolder()
  for (const path of SOURCES) writeAt(root, path, 1000)
  for (const path of PROGRAMS) writeAt(root, path, 2000)
  return root
}

test('does not build programs that are newer than all sources', () => {
  expect(isBuilt(createCheckout())).toBe(true)
})

test.each([...SOURCES, 'src/flags/new.ts'])('builds after a change of %s', (path) => {
  const root = createCheckout()
  writeAt(root, path, 3000)
  expect(isBuilt(root)).toBe(false)
})

test.each(PROGRAMS)('builds if %s is missing', (path) => {
  const root = createCheckout()
  rmSync(join(root, path))
  expect(isBuilt(root)).toBe(false)
})

test.each(['src/README.md', 'src/service/node_modules/library/index.js'])('ignores a change of %s', (path) => {
  const root = createCheckout()
  writeAt(root, path, 3000)
  expect(isBuilt(root)).toBe(true)
})

test('knows every entry of the package', () => {
  const entries = listEntries(resolve('.'))
  expect(entries).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.cjs', 'dist/node.d.cts', 'dist/cli.js']))
  expect(entries.filter((path) => !/^dist\/[\w.-]+$/.test(path))).toEqual([])
})

/** A checkout as `npm start` leaves it. Its build copies what the real one has built, because that takes more than a minute. */
const createStartedCheckout = (): string => {
  const root = createCheckout()
  cpSync('package.json', join(root, 'package.json'))
  cpSync('demo', join(root, 'demo'), { recursive: true })
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  writeFileSync(
    join(root, 'rollup.config.mjs'),
    `import { cpSync } from 'node:fs'
     export default { input: 'demo/prepack.mjs', output: { file: 'dist/unused.js' },
       plugins: [{ name: 'copy', writeBundle: () => cpSync(${JSON.stringify(resolve('dist'))}, 'dist', { recursive: true }) }] }`,
  )
  return root
}

test('npm pack builds the entries that npm start has not built, once', () => {
  const root = createStartedCheckout()
  const pack = (): readonly string[] => {
    const output = execFileSync('npm', ['pack', '--json', '--dry-run'], {
      cwd: root,
      env: USER_ENVIRONMENT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [packed] = JSON.parse(output) as [{ readonly files: readonly { readonly path: string }[] }]
    return packed.files.map(({ path }) => path)
  }
  expect(pack()).toEqual(expect.arrayContaining(listEntries(root)))
  rmSync(join(root, 'rollup.config.mjs'))
  writeAt(root, 'rollup.config.mjs', 1000)
  expect(pack()).toEqual(expect.arrayContaining(listEntries(root)))
})
