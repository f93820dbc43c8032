import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createClosedFiles } from '../../../../../src/service/store/events/duckdb/closed-files.ts'
import type { FileFacts } from '../../../../../src/service/store/events/duckdb/file-facts.ts'
import { noop } from '../../../../../src/service/noop.ts'
import { positionAfterRow } from '../../../../../src/service/store/row-position.ts'
import { ReplacedFileError } from '../../../../../src/service/store/file/file-guard.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

const factsOf = (idCount: number): FileFacts => ({
  progress: { position: positionAfterRow(0), revision: 0 },
  idCount,
  haveNames: false,
  haveChanges: false,
  columns: new Map(),
})

describe('the facts of closed files', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = createTempFolder()
    file = join(folder, '1.duckdb')
    writeFileSync(file, 'one')
  })

  it('are those of the last closing, and are taken once', () => {
    const closedFiles = createClosedFiles()
    closedFiles.keep(file, factsOf(1), noop)
    closedFiles.keep(file, factsOf(2), noop)
    expect(closedFiles.take(file)).toEqual(factsOf(2))
    expect(closedFiles.take(file)).toBe(undefined)
  })

  it.each([
    ['the file is written', () => appendFileSync(file, 'more')],
    ['its log is written', () => appendFileSync(`${file}.wal`, 'more')],
    [
      'another file with the same bytes takes its place',
      () => {
        writeFileSync(`${file}.backup`, 'one')
        renameSync(`${file}.backup`, file)
      },
    ],
    ['it is moved away', () => renameSync(file, `${file}.away`)],
  ])('are unknown when %s', (_case, change) => {
    const closedFiles = createClosedFiles()
    closedFiles.keep(file, factsOf(1), noop)
    change()
    expect(closedFiles.take(file)).toBe(undefined)
  })

  it('are not kept when another file had its name before it was closed', () => {
    const closedFiles = createClosedFiles()
    closedFiles.keep(file, factsOf(1), noop)
    closedFiles.keep(file, factsOf(2), () => {
      throw new ReplacedFileError(file)
    })
    expect(closedFiles.take(file)).toBe(undefined)
  })

  it('are kept of the files that were closed last', () => {
    const files = [1, 2, 3].map((n) => join(folder, `${n}.duckdb`))
    for (const name of files) writeFileSync(name, 'one')
    const closedFiles = createClosedFiles(2)
    for (const [n, name] of files.entries()) closedFiles.keep(name, factsOf(n), noop)
    expect(files.map((name) => closedFiles.take(name)?.idCount)).toEqual([undefined, 1, 2])
  })
})
