import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { rollup } from 'rollup'

const PROGRAM = 'bench-program'

/**
 * What a page runs for an agent: one closed script that makes `agent` global, and its sizes in bytes.
 *
 * @param {import('./agents.mjs').Agent} agent
 * @param {string} folder Where the field's packages are installed.
 */
export const bundleAgent = async ({ program, packageName, official }, folder) => {
  const code = program ? await bundle(program, folder) : await readFile('dist/script.js', 'utf8')
  const inPackage = (file) => readFile(join(folder, 'node_modules', packageName, file))
  return {
    code,
    version: JSON.parse(packageName ? await inPackage('package.json') : await readFile('package.json', 'utf8')).version,
    bytes: {
      minified: Buffer.byteLength(code),
      gzip: gzipped(code),
      brotli: brotliCompressSync(code).length,
      ...(official && { officialGzip: gzipped(await inPackage(official)) }),
    },
  }
}

const bundle = async (program, folder) => {
  const built = await rollup({
    input: PROGRAM,
    // Of the packages' own making: circular imports, `this` at the top level.
    logLevel: 'silent',
    plugins: [
      {
        name: 'program',
        resolveId(id, importer) {
          if (id === PROGRAM) return id
          if (id === 'waymark') return resolve('dist/index.js')
          // As if the program were a file beside the packages.
          return importer === PROGRAM ? this.resolve(id, join(folder, 'program.js'), { skipSelf: true }) : null
        },
        load: (id) => (id === PROGRAM ? program : null),
      },
      nodeResolve({ browser: true }),
      commonjs(),
      terser({ ecma: 2020 }),
    ],
  })
  const { output } = await built.generate({ format: 'iife', name: 'agent', inlineDynamicImports: true })
  await built.close()
  return output[0].code
}

const gzipped = (code) => gzipSync(code, { level: 9 }).length
