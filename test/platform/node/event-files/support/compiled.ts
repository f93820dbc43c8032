import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const SOURCE = fileURLToPath(new URL('../../../../../src', import.meta.url))

/** The source folders of the log and its imports. */
const FOLDERS = ['codec', 'port', 'lib', 'platform/web', 'platform/node/event-files']

let compiledFile: string | undefined

/** Compiles the log to JavaScript for other processes, and returns the file to import. */
export const compileLog = (): string => {
  compiledFile ??= compileTo(mkdtempSync(join(tmpdir(), 'waymark-compiled-')))
  return compiledFile
}

process.once('exit', () => {
  if (compiledFile) rmSync(join(compiledFile, '../../../..'), { recursive: true, force: true })
})

const compileTo = (folder: string): string => {
  for (const from of FOLDERS) {
    for (const name of readdirSync(join(SOURCE, from)).filter((name) => name.endsWith('.ts'))) {
      const file = join(folder, relative(SOURCE, join(SOURCE, from, name)).replace(/ts$/, 'js'))
      mkdirSync(dirname(file), { recursive: true })
      const { outputText } = ts.transpileModule(readFileSync(join(SOURCE, from, name), 'utf8'), {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2022,
          rewriteRelativeImportExtensions: true,
        },
      })
      writeFileSync(file, outputText)
    }
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return join(folder, 'platform/node/event-files/event-files.js')
}
