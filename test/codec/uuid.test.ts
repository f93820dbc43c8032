import * as fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createUuidV7, timeOfUuidV7 } from '../../src/codec/uuid.ts'

const FORM = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const time = fc.integer({ min: 0, max: 2 ** 47 })

describe('createUuidV7', () => {
  it('creates a uuid with version, variant and time', () => {
    fc.assert(
      fc.property(time, fc.uint8Array({ minLength: 8, maxLength: 8 }), (now, bytes) => {
        const uuid = createUuidV7(() => bytes.slice())(now)
        expect(uuid).toMatch(FORM)
        expect(timeOfUuidV7(uuid)).toBe(now)
      }),
    )
  })

  it('creates growing uuids, even when the clock goes back', () => {
    fc.assert(
      fc.property(fc.array(time, { minLength: 2, maxLength: 50 }), (times) => {
        const createUuid = createUuidV7((length) => randomBytes(length))
        const uuids = times.map((now) => createUuid(now))
        expect([...uuids].sort()).toEqual(uuids)
        expect(new Set(uuids).size).toBe(uuids.length)
      }),
    )
  })

  it('continues in the next millisecond when the counter is used up', () => {
    const createUuid = createUuidV7((length) => new Uint8Array(length).fill(255))
    const uuids = Array.from({ length: 10_000 }, () => createUuid(1000))
    expect([...uuids].sort()).toEqual(uuids)
    expect(new Set(uuids).size).toBe(10_000)
    expect(timeOfUuidV7(uuids.at(-1)!)).toBeGreaterThan(1000)
  })

  it('creates different uuids in different generators at the same time', () => {
    const create = () => createUuidV7((length) => randomBytes(length))(5)
    expect(new Set(Array.from({ length: 1000 }, create)).size).toBe(1000)
  })
})

it('requests random bytes for the first uuid, and then at most once a second', () => {
  let draws = 0
  const createUuid = createUuidV7((length) => new Uint8Array(length).fill(draws++))
  expect(draws).toBe(0)
  expect([1, 1, 1_000, 1_001, 1, 2].map((now) => createUuid(now).slice(14))).toEqual([
    '7000-8000-000000000000',
    '7001-8000-000000000000',
    '7000-8000-000000000000',
    '7000-8101-010101010101',
    '7001-8202-020202020202',
    '7002-8202-020202020202',
  ])
})

describe('timeOfUuidV7', () => {
  it('is undefined for other versions and other strings', () => {
    for (const invalid of ['', 'x', '01890a5d-ac96-474b-bcce-b302099a8057', '01890a5d-ac96-774b-3cce-b302099a8057'])
      expect(timeOfUuidV7(invalid)).toBeUndefined()
    expect(timeOfUuidV7('01890A5D-AC96-774B-BCCE-B302099A8057')).toBe(0x01890a5dac96)
  })
})
