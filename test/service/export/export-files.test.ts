import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createExportFiles, ExportTooLargeError } from '../../../src/service/export/export-files.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const open = () => {
  const folder = createTempFolder()
  return { folder, files: createExportFiles(folder), list: () => readdirSync(folder).toSorted() }
}

const chunksOf = async function* (...chunks: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* chunks
}

const limits = (maxBytes = 1e6) => ({ maxBytes, signal: new AbortController().signal })

describe('the content of an export', () => {
  test('is read as it was written', async () => {
    const { files } = open()
    const chunks = Array.from({ length: 30_000 }, (_, index) => `${index} äöü\n`)
    const bytes = await files.write(7, chunksOf(...chunks, Buffer.from([0x21])), limits())
    const content = await files.read(7)
    expect(content?.bytes).toBe(bytes)
    expect(await text(content!.stream)).toBe(`${chunks.join('')}!`)
    expect(await files.read(8)).toBeNull()
  })

  test('is there as a whole or not at all', async () => {
    const { files, list } = open()
    const failing = async function* (): AsyncGenerator<string> {
      yield 'x'.repeat(200_000)
      throw new Error('no more')
    }
    await expect(files.write(1, failing(), limits())).rejects.toThrow('no more')
    await expect(files.write(2, chunksOf('x'.repeat(200_000)), limits(100_000))).rejects.toThrow(ExportTooLargeError)
    const canceller = new AbortController()
    const endless = async function* (): AsyncGenerator<string> {
      for (;;) {
        yield 'x'.repeat(10_000)
        canceller.abort()
        await Promise.resolve()
      }
    }
    await expect(files.write(3, endless(), { maxBytes: 1e9, signal: canceller.signal })).rejects.toThrow('aborted')
    expect(list()).toEqual([])
  })

  test('replaces one that an earlier job has left', async () => {
    const { folder, files, list } = open()
    writeFileSync(join(folder, '1.part'), 'half')
    await files.write(1, chunksOf('whole'), limits())
    expect(await text((await files.read(1))!.stream)).toBe('whole')
    expect(list()).toEqual(['1'])
  })

  test('is removed, also with all others that are not kept', async () => {
    const { folder, files, list } = open()
    for (const id of [1, 2, 3]) await files.write(id, chunksOf(String(id)), limits())
    for (const name of ['2.part', '9.part']) writeFileSync(join(folder, name), 'half')
    await files.remove(1)
    await files.remove(1)
    expect(existsSync(join(folder, '1'))).toBe(false)
    await files.keepOnly(new Set([2]))
    expect(list()).toEqual(['2', '2.part'])
  })
})
