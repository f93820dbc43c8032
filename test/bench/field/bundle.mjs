import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rollup } from 'rollup'

const PAGE = 'bench-page'
const PROGRAM = 'bench-program'

/** What a page of the site loads: starts the agent, and keeps its functions for the bench. */
const PAGE_CODE = `import * as agent from '${PROGRAM}'
agent.start(globalThis.benchHost)
globalThis.agent = agent`

/**
 * An agent that a page can load.
 *
 * @typedef {object} BuiltAgent
 * @property {string} name
 * @property {string} [version]
 * @property {string} [entry] The name of the script; without it the page loads nothing.
 * @property {boolean} [isModule]
 * @property {number} [officialGzip] Bytes of the prebuilt file of the package.
 * @property {(name: string) => string | undefined} readScript The script with this name, also one that the entry loads later.
 */

/**
 * Builds an agent: the files of `dist`, or a bundle of a program, whose dynamic imports are files of their own.
 *
 * @param {import('./agents.mjs').Agent} agent
 * @param {string} folder Folder with the installed packages.
 * @returns {Promise<BuiltAgent>}
 */
export const buildAgent = async (agent, folder) => {
  const { program, script, packageName, official } = agent
  const inPackage = (file) => readFile(join(folder, 'node_modules', packageName, file))
  const manifest = packageName ? await inPackage('package.json') : await readFile('package.json')
  return {
    ...agent,
    version: JSON.parse(manifest).version,
    ...(official && { officialGzip: gzipSync(await inPackage(official), { level: 9 }).length }),
    ...(program ? await bundle(program, folder) : { entry: script, isModule: false, readScript: readBuilt }),
  }
}

const readBuilt = (name) => {
  const path = join('dist', name)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

const bundle = async (program, folder) => {
  const sources = { [PAGE]: PAGE_CODE, [PROGRAM]: program }
  const built = await rollup({
    input: PAGE,
    // Silences warnings of the packages: circular imports, `this` at the top level.
    logLevel: 'silent',
    plugins: [
      {
        name: 'program',
        resolveId(id, importer) {
          if (id in sources) return id
          if (id === 'waymark') return resolve('dist/index.js')
          // Resolves imports as if the program were a file next to the packages.
          return importer === PROGRAM ? this.resolve(id, join(folder, 'program.js'), { skipSelf: true }) : null
        },
        load: (id) => sources[id] ?? null,
      },
      nodeResolve({ browser: true }),
      commonjs(),
      terser({ ecma: 2020 }),
    ],
  })
  const { output } = await built.generate({ format: 'es', chunkFileNames: '[name]-[hash].js' })
  await built.close()
  const [entry] = output
  // They would run before the first statement of the entry, which the bench marks.
  if (entry.imports.length) throw new Error(`The bundle of this program has static imports: ${program}`)
  const scripts = new Map(output.map(({ fileName, code }) => [fileName, code]))
  return { entry: entry.fileName, isModule: true, readScript: (name) => scripts.get(name) }
}
