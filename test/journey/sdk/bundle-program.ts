import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'

const PROGRAM = 'page-program'

/** A page's own program with the packages that it imports, as one script: what a site's bundler makes of it. */
export const bundleProgram = async (program: string): Promise<string> => {
  const built = await rollup({
    input: PROGRAM,
    // Of the packages' own making: circular imports, `this` at the top level.
    logLevel: 'silent',
    plugins: [
      {
        name: 'program',
        resolveId(id, importer) {
          if (id === PROGRAM) return id
          return importer === PROGRAM ? this.resolve(id, fileURLToPath(import.meta.url), { skipSelf: true }) : null
        },
        load: (id) => (id === PROGRAM ? program : null),
      },
      nodeResolve({ browser: true }),
      commonjs(),
    ],
  })
  const { output } = await built.generate({ format: 'iife', inlineDynamicImports: true })
  await built.close()
  return output[0].code
}
