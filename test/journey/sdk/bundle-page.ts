import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'

/**
 * Bundles the script of a page with the package that it imports.
 *
 * @param name Name of the file in `page`, without extension.
 */
export const bundlePage = async (name: string): Promise<string> => {
  const built = await rollup({
    input: new URL(`page/${name}.js`, import.meta.url).pathname,
    // The packages cause warnings: circular imports, `this` at the top level.
    logLevel: 'silent',
    plugins: [nodeResolve({ browser: true }), commonjs()],
  })
  const { output } = await built.generate({ format: 'iife', inlineDynamicImports: true })
  await built.close()
  return output[0].code
}
