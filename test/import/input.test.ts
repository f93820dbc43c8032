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

const textOf = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

test.each([
  [0, 'one\ntwo\n'],
  [4, 'two\n'],
  [8, ''],
])('a file that grows is read from %i on as far as it went when it was opened', async (offset, text) => {
  writeFileSync(path, 'one\ntwo\n')
  const input = await openInput(path)
  appendFileSync(path, 'three\n')
  expect(await textOf(input.open(offset))).toBe(text)
  expect([input.bytesRead(), input.sizeBytes]).toEqual([8, 8])
})

test('an empty file has no bytes, also when some come later', async () => {
  writeFileSync(path, '')
  const input = await openInput(path)
  appendFileSync(path, 'one\n')
  expect(await textOf(input.open(0))).toBe('')
})
