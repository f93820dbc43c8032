import { expect, it } from 'vitest'
import { encodeJson } from '../../../../../src/service/store/events/clickhouse/encode-json.ts'

it('gives an exponent to integers of more than 64 bits, and to nothing else', () => {
  const properties = {
    long: 1e20,
    negative: -123_456_789_012_345_680_000,
    most: 18_446_744_073_709_550_000,
    text: 'x"12345678901234567890123',
    '12345678901234567890123': [1e20, 0.1],
  }
  const json = encodeJson(properties)
  expect(json).toBe(
    '{"long":1e+20,"negative":-1.2345678901234568e+20,"most":18446744073709550000,"text":"x\\"12345678901234567890123",' +
      '"12345678901234567890123":[1e+20,0.1]}',
  )
  expect(JSON.parse(json)).toEqual(properties)
})
