import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { stringify } from '../../src/lib/stringify.ts'
import { addPrototypeMethods } from '../support/add-prototype-methods.ts'

let removeMethods: (() => void) | undefined

afterEach(() => removeMethods?.())

describe('stringify()', () => {
  it('writes what JSON.stringify writes, also where arrays and dates have a foreign toJSON', () => {
    const dates = fc.date({ noInvalidDate: false })
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), dates, fc.dictionary(fc.string(), dates))), (value) => {
        const expected = JSON.stringify(value)
        expect(stringify(value)).toBe(expected)
        removeMethods = addPrototypeMethods()
        const written = stringify(value)
        removeMethods()
        expect(written).toBe(expected)
      }),
    )
  })

  it('respects the toJSON of other objects', () => {
    removeMethods = addPrototypeMethods()
    const url = new URL('https://a.test/')
    expect(stringify({ url, own: [{ toJSON: () => [1] }] })).toBe('{"url":"https://a.test/","own":[[1]]}')
  })
})
