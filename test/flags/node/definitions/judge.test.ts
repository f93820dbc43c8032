import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeAnswer } from '../../../../src/flags/node/definitions/judge.ts'
import { feedOf, found, status } from './loader-bed.ts'

describe('an answer about definitions', () => {
  it('of any kind is judged without a throw, and only a 200 with flags or a 304 brings something', () => {
    const anything = fc.record({
      status: fc.oneof(fc.constantFrom(0, 200, 304, 401, 402, 403, 429, 500, 503), fc.integer({ min: 0, max: 999 })),
      body: fc.oneof(fc.string(), fc.json(), fc.constant(JSON.stringify(feedOf('a')))),
      etag: fc.option(fc.string()),
    })
    fc.assert(
      fc.property(anything, fc.option(fc.constant({ etag: '"1"' }), { nil: undefined }), (answer, held) => {
        const { kind } = judgeAnswer(answer, held)
        if (kind === 'found') expect(answer.status).toBe(200)
        if (kind === 'same') expect([answer.status, held]).toEqual([304, { etag: '"1"' }])
        expect(kind === 'paused').toBe(answer.status === 402)
        expect(kind === 'refused').toBe([401, 403, 429].includes(answer.status))
      }),
    )
  })

  it('keeps the text and the tag beside the definitions', () => {
    expect(judgeAnswer(found(feedOf('a'), '"1"'), undefined)).toEqual({
      kind: 'found',
      found: { definitions: feedOf('a'), text: JSON.stringify(feedOf('a')), etag: '"1"' },
    })
  })

  it.each([
    ['{"detail":"Not for you."}', 'Not for you.'],
    [JSON.stringify({ detail: 'x'.repeat(1_000) }), 'x'.repeat(200)],
    ['{"detail":7}', undefined],
    ['null', undefined],
    ['<h1>Forbidden</h1>', undefined],
  ])('with the body %.40s has for people: %.40s', (body, detail) => {
    expect(judgeAnswer(status(403, { body }), undefined)).toEqual({
      kind: 'refused',
      why: 'status 403',
      detail,
    })
  })
})
