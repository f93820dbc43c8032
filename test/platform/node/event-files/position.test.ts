import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readPosition, writePosition } from '../../../../src/platform/node/event-files/position.ts'
import { createTempFolder } from '../../../service/support/temp-folder.ts'

it('overwrites the position in place, always with 28 bytes', () => {
  const folder = createTempFolder()
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

it.each(['', '0000000001', '0000000001 000000000000004x\n', '\0'.repeat(28)])(
  'ignores a damaged position %j',
  (content) => {
    const folder = createTempFolder()
    writeFileSync(join(folder, 'position'), content)
    expect(readPosition(folder)).toBeUndefined()
  },
)

it('fails when the folder is missing, and does not create it', () => {
  const folder = join(createTempFolder(), 'missing')
  expect(() => writePosition(folder, { segment: 0, offset: 0 })).toThrow(/ENOENT/)
  rmSync(folder, { recursive: true, force: true })
})
