import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFileGuard, ReplacedFileError } from '../../../../src/service/store/file/file-guard.ts'
import { classifyFileError } from '../../../../src/service/store/sqlite/classify-file-error.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

const createFile = () => {
  const folder = join(createTempFolder(), 'data')
  mkdirSync(folder)
  const file = join(folder, 'a')
  writeFileSync(file, 'a')
  return { folder, file }
}

describe('the guard of open files', () => {
  it('lets their content change', () => {
    const { file } = createFile()
    const check = createFileGuard([file])
    writeFileSync(file, 'longer')
    expect(check).not.toThrow()
  })

  it.each<[string, (paths: { folder: string; file: string }) => void]>([
    ['a deleted file', ({ file }) => rmSync(file)],
    ['a moved file', ({ file }) => renameSync(file, `${file}.old`)],
    [
      'a file with a copy in its place',
      ({ file }) => {
        copyFileSync(file, `${file}.copy`)
        renameSync(`${file}.copy`, file)
      },
    ],
    ['a deleted folder', ({ folder }) => rmSync(folder, { recursive: true })],
    ['a moved folder', ({ folder }) => renameSync(folder, `${folder}.old`)],
    [
      'a link to another folder',
      ({ folder, file }) => {
        renameSync(folder, `${folder}.old`)
        mkdirSync(`${folder}.new`)
        copyFileSync(file.replace(folder, `${folder}.old`), file.replace(folder, `${folder}.new`))
        symlinkSync(`${folder}.new`, folder)
      },
    ],
  ])('finds %s', (_name, change) => {
    const paths = createFile()
    const check = createFileGuard([paths.file])
    change(paths)
    expect(check).toThrow(ReplacedFileError)
    expect(check).toThrow(paths.file)
  })

  it('is content again when the same file is back', () => {
    const { folder, file } = createFile()
    const check = createFileGuard([file])
    renameSync(folder, `${folder}.old`)
    expect(check).toThrow(ReplacedFileError)
    renameSync(`${folder}.old`, folder)
    expect(check).not.toThrow()
  })

  it('checks a file that is created later from then on', () => {
    const { file } = createFile()
    const later = `${file}-wal`
    const check = createFileGuard([file, later])
    expect(check).not.toThrow()
    writeFileSync(later, '')
    expect(check).not.toThrow()
    rmSync(later)
    expect(check).toThrow(later)
  })

  it('throws an error that is known as one of a file', () => {
    expect(classifyFileError(new Error('outer', { cause: new ReplacedFileError('a') }))).toBe('replaced')
  })
})
