import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const SOURCE = fileURLToPath(new URL('../../../../../src', import.meta.url))

/** The source folders that the log consists of. */
const FOLDERS = ['port', 'platform/browser', 'platform/node/event-files']

let compiled: string | undefined

/** Compiles the log to JavaScript for other processes, and returns the file to import. */
export const compiledLog = (): string => {
  compiled ??= compileTo(mkdtempSync(join(tmpdir(), 'waymark-compiled-')))
  return compiled
}

process.once('exit', () => {
  if (compiled) rmSync(join(compiled, '../../../..'), { recursive: true, force: true })
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
