import { expect, test } from 'vitest'
import { createPersonIdCache, derivePersonId } from '../../../src/service/persons/person-id.ts'

test('cached ids of persons are those derived from the distinct id, also after the cache was full', () => {
  const toPersonId = createPersonIdCache(7)
  const first = toPersonId('ada')
  for (let n = 0; n < 60_000; n++) toPersonId(`user ${n}`)
  expect([first, toPersonId('ada'), toPersonId('ada')]).toEqual(Array(3).fill(derivePersonId(7, 'ada')))
  expect(toPersonId('bob')).not.toBe(first)
})
