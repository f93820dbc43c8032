import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'
import type { OutputChunk } from 'rollup'
import ts from 'typescript'

const compilerOptions = { target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ESNext }

/**
 * Bundles an entry from its source with all dependencies, as a bundler for pages or for the edge does.
 *
 * @param external Packages that stay imports. Default: none.
 */
export const bundleSource = async (
  input: string,
  format: 'cjs' | 'es' | 'iife',
  external: string[] = [],
): Promise<OutputChunk> => {
  const bundle = await rollup({
    input,
    external,
    plugins: [
      {
        name: 'strip-types',
        transform: (code: string, id: string) =>
          id.endsWith('.ts') ? ts.transpileModule(code, { compilerOptions }).outputText : undefined,
      },
      nodeResolve({ browser: true }),
      commonjs(),
    ],
  })
  try {
    const { output } = await bundle.generate({ format, name: 'bundled', inlineDynamicImports: true })
    return output[0]
  } finally {
    await bundle.close()
  }
}
