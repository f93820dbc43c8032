import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readPosition, writePosition } from '../../../../src/platform/node/event-files/position.ts'
import { tempFolder } from '../../../service/support/temp-folder.ts'

it('reads what was written last, and always writes as many bytes over those before', () => {
  const folder = tempFolder()
  expect(readPosition(folder)).toBeUndefined()
  for (const position of [
    { segment: 0, offset: 0 },
    { segment: 9_999_999_999, offset: 2 ** 52 },
    { segment: 7, offset: 42 },
  ]) {
    writePosition(folder, position)
    expect(readPosition(folder)).toEqual(position)
    expect(readFileSync(join(folder, 'position'))).toHaveLength(28)
  }
})

it.each(['', '0000000001', '0000000001 000000000000004x\n', '\0'.repeat(28)])('does not understand %j', (text) => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'position'), text)
  expect(readPosition(folder)).toBeUndefined()
})

it('fails when the folder is gone, and makes no new one', () => {
  const folder = join(tempFolder(), 'gone')
  expect(() => writePosition(folder, { segment: 0, offset: 0 })).toThrow(/ENOENT/)
  rmSync(folder, { recursive: true, force: true })
})
