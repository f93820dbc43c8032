import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPersonIdCache, derivePersonId, hashToUuid } from '../../../src/service/persons/person-id.ts'

test('cached ids of persons are those derived from the distinct id, also after the cache was full', () => {
  const toPersonId = createPersonIdCache(7)
  const first = toPersonId('ada')
  for (let n = 0; n < 60_000; n++) toPersonId(`user ${n}`)
  expect([first, toPersonId('ada'), toPersonId('ada')]).toEqual(Array(3).fill(derivePersonId(7, 'ada')))
  expect(toPersonId('bob')).not.toBe(first)
})

test('a hash is the SHA-1 of the string with the version and variant of a uuid', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (input) => {
      const bytes = createHash('sha1').update(input).digest()
      bytes[6] = (bytes[6]! & 0x0f) | 0x80
      bytes[8] = (bytes[8]! & 0x3f) | 0x80
      expect(hashToUuid(input).replaceAll('-', '')).toBe(bytes.toString('hex', 0, 16))
      expect(hashToUuid(input)).toMatch(/^.{8}-.{4}-8.{3}-[89ab].{3}-.{12}$/)
    }),
  )
})
