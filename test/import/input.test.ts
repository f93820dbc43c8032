import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openInput } from '../../src/import/input.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-input-'))
  path = join(folder, 'events.ndjson')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const readAll = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const readChunks: Uint8Array[] = []
  for await (const chunk of chunks) readChunks.push(chunk)
  return Buffer.concat(readChunks).toString()
}

test.each([
  [0, 'one\ntwo\n'],
  [4, 'two\n'],
  [8, ''],
])('reads a growing file from offset %i up to its size when it was opened', async (offset, expected) => {
  writeFileSync(path, 'one\ntwo\n')
  const input = await openInput(path)
  appendFileSync(path, 'three\n')
  expect(await readAll(input.open(offset))).toBe(expected)
  expect([input.bytesRead(), input.sizeBytes]).toEqual([8, 8])
})

test('reads nothing from an empty file that grows later', async () => {
  writeFileSync(path, '')
  const input = await openInput(path)
  appendFileSync(path, 'one\n')
  expect(await readAll(input.open(0))).toBe('')
})
