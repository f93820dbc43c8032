import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { findBuiltScript } from '../../../../src/service/find-built-script.ts'
import { startDecompression } from '../../../../src/service/indexer/decompression/start-decompression.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

const SCRIPT = findBuiltScript('decompression-thread')

const start = (script: string) => {
  const { decompress, stop } = startDecompression(script)
  onTestFinished(stop)
  return async (bodies: readonly Uint8Array[]) =>
    (await decompress(bodies)).map((body) => (body === null ? null : Buffer.from(body).toString()))
}

test('decompresses several lists at the same time', async () => {
  const decompress = start(SCRIPT)
  const lists = [['a', 'b'], [], ['c'.repeat(1000)]]
  const results = lists.map((list) => decompress(list.map((text) => gzipSync(text))))
  expect(await Promise.all(results)).toEqual(lists)
})

test('leaves a damaged body, and decompresses the others', async () => {
  const decompress = start(SCRIPT)
  expect(await decompress([gzipSync('a'), gzipSync('b').subarray(0, 15), gzipSync('c')])).toEqual(['a', null, 'c'])
})

test.each([
  ['ends', 'process.exit()'],
  ['throws', "throw new Error('out of memory')"],
])('leaves all bodies when the thread %s, and starts it again', async (_, failure) => {
  const script = join(createTempFolder(), 'decompression-thread.mjs')
  writeFileSync(
    script,
    `import { parentPort } from 'node:worker_threads'\nparentPort.on('message', () => { ${failure} })`,
  )
  const decompress = start(script)
  expect(await Promise.all([decompress([gzipSync('a'), gzipSync('b')]), decompress([gzipSync('c')])])).toEqual([
    [null, null],
    [null],
  ])
  writeFileSync(script, `import ${JSON.stringify(SCRIPT)}`)
  expect(await decompress([gzipSync('d')])).toEqual(['d'])
})
