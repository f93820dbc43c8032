import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PartialWriteError, writeBytes } from '../../../src/service/log/write-bytes.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const busy = (): Error => Object.assign(new Error('busy'), { code: 'EAGAIN' })

test('writes a whole string, however few bytes are taken at once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(3)), (text, sizes) => {
      let written = Buffer.alloc(0)
      writeBytes(1, text, ((_file: number, bytes: Buffer, offset: number, length: number) => {
        const size = Math.min(length, sizes.shift() ?? length)
        written = Buffer.concat([written, bytes.subarray(offset, offset + size)])
        return size
      }) as never)
      expect(written.equals(Buffer.from(text))).toBe(true)
    }),
  )
})

test('waits a little for a reader that is slow, and gives up', () => {
  let calls = 0
  const refuse = (): never => {
    calls += 1
    throw busy()
  }
  expect(() => writeBytes(1, 'a', refuse as never)).toThrow('busy')
  expect(calls).toBe(11)
  let refusals = 3
  const hesitate = (_file: number, _bytes: Buffer, _offset: number, length: number): number => {
    if (refusals-- > 0) throw busy()
    return length
  }
  expect(() => writeBytes(1, 'a', hesitate as never)).not.toThrow()
})

test('says whether a part was written', () => {
  let isFirst = true
  const half = (): number => {
    if (!isFirst) throw new Error('full')
    isFirst = false
    return 1
  }
  expect(() => writeBytes(1, 'ab', half as never)).toThrow(PartialWriteError)
  expect(() => writeBytes(1, 'ab', half as never)).not.toThrow(PartialWriteError)
})

test('writes to files, and throws the error of the system', () => {
  const path = join(createTempFolder(), 'log')
  const file = openSync(path, 'a')
  writeBytes(file, 'ä\n')
  closeSync(file)
  expect(readFileSync(path, 'utf8')).toBe('ä\n')
  expect(() => writeBytes(file, 'b')).toThrow('EBADF')
})
