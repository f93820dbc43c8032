import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import { readFile } from 'node:fs/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { rollup } from 'rollup'

/**
 * Measures what users download, in bytes after gzip -9 and after brotli: the built files, and a bundle of each import with all its
 * dependencies.
 */
export const measureSizes = async () => ({
  'dist/script.js': compressed(await readFile('dist/script.js')),
  'dist/script-capture.js': compressed(await readFile('dist/script-capture.js')),
  'dist/script-core.js': compressed(await readFile('dist/script-core.js')),
  'dist/waymark-delivery-1.js': compressed(await readFile('dist/waymark-delivery-1.js')),
  'dist/stub.js': compressed(await readFile('dist/stub.js')),
  "import { init } from 'waymark'": compressed(await bundle('test/size/entry-browser.js')),
  "import { init } from 'waymark/full'": compressed(await bundle('test/size/entry-full.js')),
  "import { init, surveys, tracing } from 'waymark/capture'": compressed(
    await bundle('test/size/entry-without-flags.js'),
  ),
  "import { init } from 'waymark/capture'": compressed(await bundle('test/size/entry-capture.js')),
  "import posthog from 'waymark/compat'": compressed(await bundle('test/size/entry-compat.js')),
  "import { init } from 'waymark/evaluate'": compressed(await bundle('test/size/entry-evaluate.js')),
  'dist/waymark-extras.js': compressed(await readFile('dist/waymark-extras.js')),
  "import { init } from 'waymark/react-native'": compressed(await bundle('test/size/entry-react-native.js')),
  "import { init } from 'waymark/react-native/evaluate'": compressed(
    await bundle('test/size/entry-react-native-evaluate.js'),
  ),
  "import { createClient } from 'waymark/management'": compressed(await bundle('test/size/entry-management.js')),
  "import { CaptureOnView, Feature, useFeatureFlag, WaymarkProvider } from 'waymark/react'": compressed(
    await bundle('test/size/entry-react.js'),
  ),
})

/** Bundles a file with all its dependencies, without what it loads later, and without React, which users of `waymark/react` have. */
export const bundle = async (input) => {
  const bundled = await rollup({
    input,
    external: ['react'],
    onwarn(warning, warn) {
      // Rollup ignores the directive of `waymark/react`, which is for servers.
      if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
    },
    plugins: [nodeResolve({ browser: true }), commonjs(), terser({ ecma: 2020 })],
  })
  const { output } = await bundled.generate({ format: 'es' })
  await bundled.close()
  return output[0].code
}

const compressed = (code) => ({
  gzip: gzipSync(code, { level: 9 }).length,
  brotli: brotliCompressSync(code).length,
})
