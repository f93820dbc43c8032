import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { rollup } from 'rollup'

const PROGRAM = 'bench-program'

/**
 * Bundles an agent for a page: one script that sets the global `agent`, with its sizes in bytes.
 *
 * @param {import('./agents.mjs').Agent} agent
 * @param {string} folder Folder with the installed packages.
 */
export const bundleAgent = async ({ program, packageName, official }, folder) => {
  const code = program ? await bundle(program, folder) : await readFile('dist/script.js', 'utf8')
  const inPackage = (file) => readFile(join(folder, 'node_modules', packageName, file))
  return {
    code,
    version: JSON.parse(packageName ? await inPackage('package.json') : await readFile('package.json', 'utf8')).version,
    bytes: {
      minified: Buffer.byteLength(code),
      gzip: gzipSize(code),
      brotli: brotliCompressSync(code).length,
      ...(official && { officialGzip: gzipSize(await inPackage(official)) }),
    },
  }
}

const bundle = async (program, folder) => {
  const built = await rollup({
    input: PROGRAM,
    // Silences warnings of the packages: circular imports, `this` at the top level.
    logLevel: 'silent',
    plugins: [
      {
        name: 'program',
        resolveId(id, importer) {
          if (id === PROGRAM) return id
          if (id === 'waymark') return resolve('dist/index.js')
          // Resolves imports as if the program were a file next to the packages.
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

const gzipSize = (code) => gzipSync(code, { level: 9 }).length
