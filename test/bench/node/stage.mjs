import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DURABLE } from './packages.mjs'
import { startProgram } from './start-program.mjs'
import { startSink } from './start-sink.mjs'

/**
 * Measures a row for one package with all that it needs and nothing that another has left behind: a sink, a folder, and programs, which end with it.
 *
 * @param {string} row A file of `rows`: `measure` is run here, its other exports are what its programs do.
 * @param {{ name: string, way?: string }} found The package.
 */
export const onStage = async (row, found) => {
  const { measure } = await import(new URL(`rows/${row}.mjs`, import.meta.url).href)
  const sink = await startSink()
  const folder = await mkdtemp(join(tmpdir(), 'waymark-bench-node-'))
  const programs = []
  const options = { host: sink.url, persistenceDir: found.way === DURABLE ? folder : undefined }
  /** Starts the program of the row that it exports by this name. */
  const start = (part = 'program') => {
    const program = startProgram({ row, part, found, options })
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
