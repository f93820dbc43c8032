import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { stringify } from '../../src/port/stringify.ts'

const list = Array.prototype as { toJSON?: unknown }
const date = Date.prototype
const originalToJson = date.toJSON

/** What Prototype.js 1.6 does to a page. */
const addPrototypeMethods = (): void => {
  list.toJSON = function (this: unknown[]) {
    return `[${this.length} items]`
  }
  date.toJSON = function () {
    return '"1 January"'
  }
}

afterEach(() => {
  delete list.toJSON
  date.toJSON = originalToJson
})

describe('stringify()', () => {
  it('writes what JSON.stringify writes, also where arrays and dates have a foreign toJSON', () => {
    const dates = fc.date({ noInvalidDate: false })
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), dates, fc.dictionary(fc.string(), dates))), (value) => {
        const expected = JSON.stringify(value)
        expect(stringify(value)).toBe(expected)
        addPrototypeMethods()
        const written = stringify(value)
        delete list.toJSON
        date.toJSON = originalToJson
        expect(written).toBe(expected)
      }),
    )
  })

  it('respects the toJSON of other objects', () => {
    addPrototypeMethods()
    const url = new URL('https://a.test/')
    expect(stringify({ url, own: [{ toJSON: () => [1] }] })).toBe('{"url":"https://a.test/","own":[[1]]}')
  })
})
