import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createRequire } from 'node:module'
import { rollup } from 'rollup'
import ts from 'typescript'
import { expect, it, onTestFinished } from 'vitest'
import { createTempFolder } from '../../../../support/temp-folder.ts'
import { HOSTILE_SELECTS } from './hostile-selects.ts'

const SOURCE = fileURLToPath(
  new URL('../../../../../../src/service/store/events/duckdb/open-store.ts', import.meta.url),
)

/** The process takes up to this, with Node, and with the 256 MB that DuckDB limits itself. */
const MAX_PEAK_MB = 1_200

/** A query has 3 seconds, and its process 2 more before the service would kill it (`QUERY_GRACE_MS`); the rest is for a slow machine. */
const MAX_MS = 15_000

const bundleStore = async (folder: string): Promise<string> => {
  const target = join(folder, 'open-store.mjs')
  const resolve = createRequire(SOURCE).resolve
  const bundle = await rollup({
    input: SOURCE,
    external: (id) => id.startsWith('@duckdb/') || id.startsWith('node:') || id === 'better-sqlite3',
    plugins: [
      {
        name: 'strip-types',
        transform: (code, id) =>
          id.endsWith('.ts')
            ? ts.transpileModule(code, {
                compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
              }).outputText
            : undefined,
      },
    ],
  })
  const paths = (id: string): string => (id.startsWith('node:') ? id : pathToFileURL(resolve(id)).href)
  await bundle.write({ file: target, format: 'es', inlineDynamicImports: true, paths })
  await bundle.close()
  return target
}

const startProcess = async (folder: string): Promise<ChildProcess> => {
  const script = fileURLToPath(new URL('run-selects.mjs', import.meta.url))
  const child = fork(script, [await bundleStore(folder), join(folder, '1.duckdb')], { execArgv: [] }).setMaxListeners(0)
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  await once(child, 'message')
  return child
}

interface Outcome {
  readonly error: string | null
  readonly ms: number
  readonly peakMb: number
}

/** The error codes with which a query may end that asks for too much. */
const CLEAR_ERROR = /^(memory|timeout|invalid|forbidden): /

it(`${HOSTILE_SELECTS.length} hostile SELECTs end with a clear error, within their limits`, async () => {
  expect(HOSTILE_SELECTS.length).toBeGreaterThanOrEqual(60)
  const child = await startProcess(createTempFolder())
  const failures: string[] = []
  for (const sql of HOSTILE_SELECTS) {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(MAX_MS) })
    child.send(sql)
    const [outcome] = (await Promise.race([answered, once(child, 'exit')]).catch(() => [null])) as [Outcome | null]
    if (outcome === null || typeof outcome !== 'object') throw new Error(`The process did not answer in time: ${sql}`)
    if (outcome.error !== null && !CLEAR_ERROR.test(outcome.error)) failures.push(`${outcome.error}: ${sql}`)
    if (outcome.peakMb > MAX_PEAK_MB) failures.push(`${outcome.peakMb} MB: ${sql}`)
  }
  expect(failures).toEqual([])
}, 900_000)
