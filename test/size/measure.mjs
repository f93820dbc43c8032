import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { rollup } from 'rollup'

/**
 * Measures what users download, in bytes after gzip -9: the built files, and a bundle of each import with all its dependencies.
 */
export const measureSizes = async () => ({
  'dist/script.js': gzipped(await readFile('dist/script.js')),
  'dist/stub.js': gzipped(await readFile('dist/stub.js')),
  "import { init } from 'waymark'": gzipped(await bundle('test/size/entry-browser.js')),
  "import { init } from 'waymark/evaluate'": gzipped(await bundle('test/size/entry-evaluate.js')),
  'dist/waymark-extras.js': gzipped(await readFile('dist/waymark-extras.js')),
  "import { init } from 'waymark/react-native'": gzipped(await bundle('test/size/entry-react-native.js')),
  "import { createClient } from 'waymark/management'": gzipped(await bundle('test/size/entry-management.js')),
})

const bundle = async (input) => {
  const bundled = await rollup({ input, plugins: [nodeResolve({ browser: true }), commonjs(), terser({ ecma: 2020 })] })
  const { output } = await bundled.generate({ format: 'es' })
  await bundled.close()
  return output[0].code
}

const gzipped = (code) => gzipSync(code, { level: 9 }).length
