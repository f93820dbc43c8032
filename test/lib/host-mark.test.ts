import { expect, it } from 'vitest'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { createHostMark } from '../../src/lib/host-mark.ts'

it('keeps a mark for later pages, until it is taken back', () => {
  const storage = createMemoryKeyValue()
  const mark = createHostMark(storage, 'plain', 'https://a.test')
  expect(mark.isSet()).toBe(false)
  mark.set(true)
  expect([mark.isSet(), createHostMark(storage, 'plain', 'https://a.test').isSet()]).toEqual([true, true])
  mark.set(false)
  expect(mark.isSet()).toBe(false)
})

it('is not set for another host', () => {
  const storage = createMemoryKeyValue()
  createHostMark(storage, 'plain', 'https://a.test').set(true)
  expect(createHostMark(storage, 'plain', 'https://b.test').isSet()).toBe(false)
})
