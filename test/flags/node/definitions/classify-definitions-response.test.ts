import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyDefinitionsResponse } from '../../../../src/flags/node/definitions/classify-definitions-response.ts'
import { definitionsOf, okResponse, statusResponse } from './loader-fixture.ts'

describe('classifyDefinitionsResponse', () => {
  it('never throws, and returns definitions only for a 200', () => {
    const anything = fc.record({
      status: fc.oneof(fc.constantFrom(0, 200, 304, 401, 402, 403, 429, 500, 503), fc.integer({ min: 0, max: 999 })),
      body: fc.oneof(fc.string(), fc.json(), fc.constant(JSON.stringify(definitionsOf('a')))),
      etag: fc.option(fc.string()),
    })
    fc.assert(
      fc.property(anything, fc.option(fc.constant({ etag: '"1"' }), { nil: undefined }), (response, current) => {
        const { kind } = classifyDefinitionsResponse(response, current)
        if (kind === 'loaded') expect(response.status).toBe(200)
        if (kind === 'not_modified') expect([response.status, current]).toEqual([304, { etag: '"1"' }])
        expect(kind === 'quota_exceeded').toBe(response.status === 402)
        if (response.status !== 404) expect(kind === 'refused').toBe([401, 403, 429].includes(response.status))
      }),
    )
  })

  it('tells a project API key that the service does not know from a missing path', () => {
    const body = '{"type":"invalid_request","code":"not_found","detail":"There is no project.","attr":"token"}'
    expect(classifyDefinitionsResponse(statusResponse(404, { body }), undefined)).toEqual({
      kind: 'refused',
      reason: 'status 404',
      detail: 'There is no project.',
    })
    for (const other of ['', '<h1>Not Found</h1>', '{}'])
      expect(classifyDefinitionsResponse(statusResponse(404, { body: other }), undefined).kind).toBe('failed')
  })

  it('returns the JSON and the tag with the definitions', () => {
    expect(classifyDefinitionsResponse(okResponse(definitionsOf('a'), '"1"'), undefined)).toEqual({
      kind: 'loaded',
      received: { definitions: definitionsOf('a'), json: JSON.stringify(definitionsOf('a')), etag: '"1"' },
    })
  })

  it.each([
    ['{"detail":"Not for you."}', 'Not for you.'],
    [JSON.stringify({ detail: 'x'.repeat(1_000) }), 'x'.repeat(200)],
    ['{"detail":7}', undefined],
    ['null', undefined],
    ['<h1>Forbidden</h1>', undefined],
  ])('reads from the body %.40s the detail %.40s', (body, detail) => {
    expect(classifyDefinitionsResponse(statusResponse(403, { body }), undefined)).toEqual({
      kind: 'refused',
      reason: 'status 403',
      detail,
    })
  })
})
