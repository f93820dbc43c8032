import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createIdKeys } from '../../../src/service/store/id-keys.ts'
import { createIdTable, MAX_VALUE } from '../../../src/service/store/id-table.ts'

const anyCall = fc.record({
  scope: fc.nat(1),
  id: fc.nat(40).map((n) => `id ${n}`),
  value: fc.option(fc.oneof(fc.nat(3), fc.constant(MAX_VALUE))),
})

it('has the last value of each id, until one is forgotten', () => {
  fc.assert(
    fc.property(fc.array(anyCall, { maxLength: 120 }), fc.integer({ min: 1, max: 60 }), (calls, max) => {
      const keys = createIdKeys()
      const table = createIdTable(max)
      const values = new Map<string, number>()
      for (const { scope, id, value } of calls) {
        const name = `${scope} ${id}`
        if (value === null) {
          const found = table.get(keys.ofString(scope, id))
          if (found !== undefined || !table.hasForgotten()) expect(found).toBe(values.get(name))
        } else {
          table.set(keys.ofString(scope, id), value)
          values.set(name, value)
        }
      }
      if (values.size <= max) expect(table.hasForgotten()).toBe(false)
    }),
  )
})

it('holds twice as many ids as a generation', () => {
  const keys = createIdKeys()
  const table = createIdTable(5000)
  for (let n = 0; n < 10_000; n++) table.set(keys.ofString(0, `id ${n}`), n)
  expect(table.hasForgotten()).toBe(false)
  for (let n = 9999; n >= 5000; n--) expect(table.get(keys.ofString(0, `id ${n}`))).toBe(n)
  for (let n = 0; n < 5000; n++) table.set(keys.ofString(0, `new ${n}`), n)
  expect(table.hasForgotten()).toBe(true)
  expect(table.get(keys.ofString(0, 'id 0'))).toBeUndefined()
})
