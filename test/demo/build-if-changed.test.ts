import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder } from '../service/support/temp-folder.ts'

// Imported by URL, because the demo is outside the TypeScript project of the tests.
const demoModule = new URL('../../demo/build-if-changed.mjs', import.meta.url).href
const { isBuilt }: { isBuilt: (root: string) => boolean } = await import(demoModule)

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
