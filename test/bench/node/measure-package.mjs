import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DURABLE } from './packages.mjs'
import { startProgram } from './start-program.mjs'
import { startSink } from './start-sink.mjs'

/**
 * Measures a row for one package with a new sink, folder and programs, which are removed at the end.
 *
 * @param {string} row Name of a file in `rows`. Its `measure` runs here; its other exports run in programs.
 * @param {{ name: string, way?: string }} packageInfo The package.
 */
export const measurePackage = async (row, packageInfo) => {
  const { measure } = await import(new URL(`rows/${row}.mjs`, import.meta.url).href)
  const sink = await startSink()
  const folder = await mkdtemp(join(tmpdir(), 'waymark-bench-node-'))
  const programs = []
  const options = { host: sink.url, persistenceDir: packageInfo.way === DURABLE ? folder : undefined }
  /** Starts a program that runs the export `part` of the row. */
  const start = (part = 'program') => {
    const program = startProgram({ row, part, packageInfo, options })
    programs.push(program)
    return program
  }
  try {
    return await measure({ sink, start })
  } finally {
    await Promise.all(programs.map(({ kill }) => kill()))
    await sink.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
