import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { rollup } from 'rollup'
import typescript from 'typescript'

const ENTRY = 'evaluator'
const EXPORTS = { compile: 'compile', evaluateFlag: 'evaluate-flag', evaluationContext: 'evaluation' }

/**
 * Bundles `src/evaluate` into one module, compiled for the same language level as the service and not minified.
 *
 * @param {string} folder Folder to write to.
 * @returns {Promise<string>} Path of the module.
 */
export const bundleEvaluator = async (folder) => {
  const built = await rollup({
    input: ENTRY,
    plugins: [
      {
        name: 'evaluator',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) =>
          id === ENTRY
            ? Object.entries(EXPORTS)
                .map(([name, file]) => `export { ${name} } from ${JSON.stringify(resolve(`src/evaluate/${file}.ts`))}`)
                .join('\n')
            : null,
        transform: (code, id) =>
          id.endsWith('.ts')
            ? { code: typescript.transpileModule(code, { compilerOptions: COMPILER }).outputText, map: null }
            : null,
      },
    ],
  })
  const { output } = await built.generate({ format: 'es' })
  await built.close()
  const path = join(folder, 'evaluator.mjs')
  await writeFile(path, output[0].code)
  return path
}

const COMPILER = {
  target: typescript.ScriptTarget.ES2022,
  module: typescript.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
}
