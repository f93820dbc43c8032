import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createExportFiles } from '../../../src/service/export/export-files.ts'
import type { WriteControl } from '../../../src/service/export/export-files.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const open = () => {
  const folder = createTempFolder()
  return { folder, files: createExportFiles(folder), list: () => readdirSync(folder).toSorted() }
}

const chunksOf = async function* (...chunks: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* chunks
}

const ignore = (): WriteControl => ({ onBytes: () => undefined, signal: new AbortController().signal })

describe('the content of an export', () => {
  test('is read as it was written', async () => {
    const { files } = open()
    const chunks = Array.from({ length: 30_000 }, (_, index) => `${index} äöü\n`)
    let bytes = 0
    const control = { ...ignore(), onBytes: (count: number) => void (bytes += count) }
    await files.write(7, chunksOf(...chunks, Buffer.from([0x21])), control)
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
    await expect(files.write(1, failing(), ignore())).rejects.toThrow('no more')
    const full = {
      ...ignore(),
      onBytes: () => {
        throw new Error('no space')
      },
    }
    await expect(files.write(2, chunksOf('x'.repeat(200_000)), full)).rejects.toThrow('no space')
    const canceller = new AbortController()
    const endless = async function* (): AsyncGenerator<string> {
      for (;;) {
        yield 'x'.repeat(10_000)
        canceller.abort()
        await Promise.resolve()
      }
    }
    await expect(files.write(3, endless(), { ...ignore(), signal: canceller.signal })).rejects.toThrow('aborted')
    expect(list()).toEqual([])
  })

  test('leaves nothing when the first chunk fails: its file is there before, so that its removal comes later', async () => {
    const { files, list } = open()
    let before: readonly string[] = []
    const next = async (): Promise<never> => {
      before = list()
      throw new Error('no first chunk')
    }
    const failing: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next }) }
    await expect(files.write(1, failing, ignore())).rejects.toThrow('no first chunk')
    expect(before).toEqual(['1.part'])
    expect(list()).toEqual([])
    await expect(files.write(2, chunksOf('x'), { ...ignore(), signal: AbortSignal.abort() })).rejects.toThrow('aborted')
    expect(list()).toEqual([])
  })

  test('replaces one that an earlier job has left', async () => {
    const { folder, files, list } = open()
    writeFileSync(join(folder, '1.part'), 'half')
    await files.write(1, chunksOf('whole'), ignore())
    expect(await text((await files.read(1))!.stream)).toBe('whole')
    expect(list()).toEqual(['1'])
  })

  test('is listed, also half written, and removed; other files stay as they are', async () => {
    const { folder, files, list } = open()
    for (const id of [1, 2]) await files.write(id, chunksOf(String(id)), ignore())
    writeFileSync(join(folder, '9.part'), 'half')
    writeFileSync(join(folder, 'notes.txt'), 'of the owner')
    mkdirSync(join(folder, 'lost+found'))
    expect((await files.list()).toSorted((a, b) => a - b)).toEqual([1, 2, 9])
    for (const id of [1, 1, 9]) await files.remove(id)
    expect(list()).toEqual(['2', 'lost+found', 'notes.txt'])
  })

  test('has the time of its completion', async () => {
    const { folder, files } = open()
    await files.write(1, chunksOf('x'), ignore())
    utimesSync(join(folder, '1'), 1, 1.5)
    const content = await files.read(1)
    content?.stream.destroy()
    expect(content).toMatchObject({ bytes: 1, completedAt: 1500 })
  })

  test('can be read to its end while it is removed', async () => {
    const { files } = open()
    await files.write(1, chunksOf('x'.repeat(300_000)), ignore())
    const content = await files.read(1)
    await files.remove(1)
    expect(await text(content!.stream)).toHaveLength(300_000)
  })
})
