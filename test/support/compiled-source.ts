import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))

/**
 * Compiles folders of `src` to JavaScript for other processes.
 *
 * @returns The folder that takes the place of `src`; removed when this process exits.
 */
export const compileSource = (...folders: readonly string[]): string => {
  const target = mkdtempSync(join(tmpdir(), 'waymark-compiled-'))
  process.once('exit', () => rmSync(target, { recursive: true, force: true }))
  writeFileSync(join(target, 'package.json'), '{"type":"module"}')
  for (const folder of folders) {
    const files = readdirSync(join(SOURCE, folder), { recursive: true, encoding: 'utf8' })
    for (const name of files.filter((name) => name.endsWith('.ts'))) {
      const file = join(target, folder, name.replace(/ts$/, 'js'))
      const { outputText } = ts.transpileModule(readFileSync(join(SOURCE, folder, name), 'utf8'), {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2022,
          rewriteRelativeImportExtensions: true,
        },
      })
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, outputText)
    }
  }
  return target
}
