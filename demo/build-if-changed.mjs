import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** What the build reads. */
const SOURCES = ['src', 'rollup.config.mjs', 'test/config', 'package.json', 'package-lock.json', 'tsconfig.json']

/** What the demo runs: the page's scripts and the service. */
const DEMO_PROGRAMS = [
  'dist/script.js',
  'dist/management.js',
  ...['main', 'index', 'indexer', 'body-thread'].map((name) => `src/service/dist/${name}.js`),
]

/** Builds what the demo runs, unless it is newer than all its sources. */
export const buildIfChanged = () => {
  if (isBuilt(ROOT)) return
  console.log('Building the demo and the service, which is necessary after a change …')
  build('--configDemo')
}

/** Builds the package, unless all its entries are newer than all sources: the demo builds only some of them. */
export const buildPackageIfChanged = () => {
  if (isBuilt(ROOT, listEntries(ROOT))) return
  // `npm pack --json` prints to the other stream.
  console.error('Building the package, which is necessary after a change or a build of the demo …')
  build()
}

const build = (...args) => {
  const rollup = createRequire(import.meta.url).resolve('rollup/dist/bin/rollup')
  execFileSync(process.execPath, [rollup, '-c', ...args, '--silent'], { cwd: ROOT, stdio: ['ignore', 2, 2] })
}

/** Whether all programs exist in a checkout and are newer than all its sources. */
export const isBuilt = (root, programs = DEMO_PROGRAMS) => {
  const programTimes = programs.map((path) => modifiedMs(join(root, path)))
  const sourceTimes = SOURCES.flatMap((path) => filesBelow(join(root, path))).map(modifiedMs)
  return Math.min(...programTimes) > Math.max(...sourceTimes)
}

/** Every built file that `package.json` of a checkout names. */
export const listEntries = (root) => {
  const named = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(named))
  const { main, module, types, bin, exports, typesVersions } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const paths = named([main, module, types, bin, exports, typesVersions]).map((path) => join(path))
  return [...new Set(paths)].filter((path) => path.startsWith('dist'))
}

/** When a file was changed; 0 if it does not exist. */
const modifiedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const filesBelow = (path) => {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !['dist', 'node_modules'].includes(name) && !name.endsWith('.md'))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
}
