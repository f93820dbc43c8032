import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'

/**
 * The program of a page, with the package that it imports, as one script: what a site's bundler makes of it.
 *
 * @param name Of the file in `page`.
 */
export const bundlePage = async (name: string): Promise<string> => {
  const built = await rollup({
    input: new URL(`page/${name}.js`, import.meta.url).pathname,
    // Of the packages' own making: circular imports, `this` at the top level.
    logLevel: 'silent',
    plugins: [nodeResolve({ browser: true }), commonjs()],
  })
  const { output } = await built.generate({ format: 'iife', inlineDynamicImports: true })
  await built.close()
  return output[0].code
}
