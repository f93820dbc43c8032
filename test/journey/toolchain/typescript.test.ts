import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProgram, findTypeErrors } from '../../support/create-program.ts'
import { linkReact } from '../../support/link-react.ts'
import { packPackage } from '../../support/packed-package.ts'

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-typescript-'))
  const packed = packPackage()
  packed.installInto(folder)
  packed.remove()
  await linkReact(folder)
}, 240_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SOURCE = `
  import { init, type Waymark } from 'waymark'
  import { init as initFull } from 'waymark/full'
  import { flags, init as initCapture } from 'waymark/capture'
  import posthog, { type PostHog } from 'waymark/compat'
  import { init as initEdge } from 'waymark/edge'
  import { compile } from 'waymark/evaluate'
  import { withExtras } from 'waymark/extras'
  import { importHistory } from 'waymark/import'
  import { createClient } from 'waymark/management'
  import { init as initNode, type Waymark as ServerWaymark } from 'waymark/node'
  import { useFeatureFlag } from 'waymark/react'
  import { init as initApp } from 'waymark/react-native'
  import { init as initAppEvaluate } from 'waymark/react-native/evaluate'
  import { createTestAgent } from 'waymark/testing'
  const page: Waymark = withExtras(init)('key', { host: 'http://127.0.0.1:9' })
  const server: ServerWaymark = initNode('key', { host: 'http://127.0.0.1:9', disabled: true })
  server.capture({ distinctId: 'ada', event: 'paid' })
  // @ts-expect-error A name is a string.
  page.capture(5)
  // @ts-expect-error An event needs a name.
  server.capture({ distinctId: 'ada' })
  const start: PostHog['init'] = posthog.init
  console.log([initFull, initCapture, initAppEvaluate, start, useFeatureFlag, initEdge, compile, importHistory, createClient, initApp, createTestAgent, initCapture('wm_1', {}, { flags }).getFeatureFlag].map((value) => typeof value).join())
  void Promise.all([page.shutdown(), server.shutdown()])
`

/** Type-checks a file with the declarations of the package, and returns TypeScript's errors. */
const check = (name: string, options: ts.CompilerOptions): readonly string[] => {
  const file = join(folder, name)
  writeFileSync(file, SOURCE)
  const program = createProgram([file], {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
    outDir: join(folder, 'out'),
    ...options,
  })
  const errors = findTypeErrors(program).map(
    ({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  )
  program.emit()
  return errors
}

const { Node16, NodeNext, ESNext, CommonJS } = ts.ModuleKind
const { Node10, Bundler } = ts.ModuleResolutionKind
const ALL_FUNCTIONS = `${Array.from({ length: 12 }, () => 'function').join()}\n`

it.each<[title: string, file: string, output: string, options: ts.CompilerOptions]>([
  ['bundler', 'bundler.mts', 'bundler.mjs', { module: ESNext, moduleResolution: Bundler }],
  ['nodenext in a module', 'next.mts', 'next.mjs', { module: NodeNext }],
  ['nodenext in CommonJS', 'next.cts', 'next.cjs', { module: NodeNext }],
  ['node16 in a module', 'old.mts', 'old.mjs', { module: Node16 }],
  ['node16 in CommonJS', 'old.cts', 'old.cjs', { module: Node16 }],
  ['node10', 'ten.ts', 'ten.js', { module: CommonJS, moduleResolution: Node10, ignoreDeprecations: '6.0' }],
])('is typed and runs with the module resolution %s', (_title, file, output, options) => {
  expect(check(file, options)).toEqual([])
  const printed = execFileSync(process.execPath, [join(folder, 'out', output)], {
    encoding: 'utf8',
    timeout: 20_000,
    stdio: 'pipe',
  })
  expect(printed).toBe(ALL_FUNCTIONS)
})
