import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'

/**
 * Bundles the script of a page with the package that it imports.
 *
 * @param name Name of the file in `page`, without extension.
 * @param aliases Files that take the place of imported packages, by the name of the package.
 */
export const bundlePage = async (name: string, aliases: Readonly<Record<string, string>> = {}): Promise<string> => {
  const built = await rollup({
    input: new URL(`page/${name}.js`, import.meta.url).pathname,
    // The packages cause warnings: circular imports, `this` at the top level.
    logLevel: 'silent',
    plugins: [
      { name: 'alias', resolveId: (id: string) => aliases[id] ?? null },
      nodeResolve({ browser: true }),
      commonjs(),
    ],
  })
  const { output } = await built.generate({ format: 'iife', inlineDynamicImports: true })
  await built.close()
  return output[0].code
}
