import { expect, test } from 'vitest'
import { createSchemaCompilers } from '../../../src/service/schema/compilers.ts'
import { skipBodyCheck } from '../../../src/service/schema/skip-checks.ts'

type Compile = (part: { schema: object; httpPart: string }) => (value: unknown) => { value?: unknown; error?: Error }

test('leaves a body to its handler, but checks the parameters of the route', async () => {
  const { compilersFactory, load } = createSchemaCompilers({})
  await load()
  const compile = (compilersFactory.buildValidator as unknown as () => Compile)()
  const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
  const skipped = compile({ schema: skipBodyCheck(schema), httpPart: 'body' })
  expect(skipped({ id: 'x' })).toEqual({ value: { id: 'x' } })
  expect(compile({ schema, httpPart: 'body' })({ id: 'x' }).error).toMatchObject({ status: 400 })
  expect(compile({ schema, httpPart: 'params' })({ id: '7' })).toEqual({ value: { id: 7 } })
  expect(compile({ schema, httpPart: 'params' })({ id: 'x' }).error).toMatchObject({ status: 404 })
  expect(JSON.stringify(skipBodyCheck(schema))).toBe(JSON.stringify(schema))
})
