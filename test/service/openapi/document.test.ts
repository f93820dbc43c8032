import { expect, test } from 'vitest'
import type { ManagementRoute } from '../../../src/service/management/api.ts'
import { createSchemaLookup } from '../support/document-checker.ts'
import type { OpenApiDocument, OpenApiOperation } from '../support/document-checker.ts'
import { openApp } from '../support/app.ts'

const readDocument = async (): Promise<OpenApiDocument> => {
  const { app } = await openApp()
  const response = await app.inject({ method: 'GET', url: '/api/schema/' })
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  return response.json()
}

const operationsOf = ({ paths }: OpenApiDocument): [string, string, OpenApiOperation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, OpenApiOperation] => [method, path, operation]),
  )

/** Every schema inside a value, with the steps to it. */
const findSchemas = (value: unknown, steps: string[] = []): { schema: { examples?: unknown[] }; steps: string[] }[] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, each]) =>
    key === 'examples' || key === 'example' ? [] : findSchemas(each, [...steps, key]),
  )
  return 'examples' in value ? [{ schema: value as { examples?: unknown[] }, steps }, ...inner] : inner
}

test('is OpenAPI 3.1 and describes every route of the management API', async () => {
  const { app } = await openApp()
  const document = await readDocument()
  expect(document.openapi).toBe('3.1.0')
  const described = operationsOf(document).map(
    ([method, path]) => `${method.toUpperCase()} ${path.replaceAll(/\{([^}]+)\}/g, ':$1')}`,
  )
  const routes = app.managementRoutes.map(({ method, url }: ManagementRoute) => `${method} ${url}`)
  expect(described.sort()).toEqual(routes.sort())
  expect(described).toContain('PATCH /api/environments/:project_id/feature_flags/:id/')
})

test('has unique operation ids, summaries, and an error for each way to fail', async () => {
  const document = await readDocument()
  const operations = operationsOf(document)
  const ids = operations.map(([, , { operationId }]) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [method, path, { summary, security = [], responses }] of operations) {
    const at = `${method} ${path}`
    expect([at, summary]).toEqual([at, expect.stringMatching(/\w/)])
    const expected = [
      ...(security.length > 0 ? ['401', '403', '429'] : []),
      ...(path.includes('{') ? ['404'] : []),
      '500',
    ]
    for (const status of expected) expect([at, Object.keys(responses)]).toEqual([at, expect.arrayContaining([status])])
  }
})

test('resolves every reference, and each example matches its schema', async () => {
  const document = await readDocument()
  const lookUp = createSchemaLookup(document)
  for (const name of Object.keys(document.components.schemas)) lookUp('components', 'schemas', name)
  const found = findSchemas(document)
  expect(found.length).toBeGreaterThan(10)
  for (const { schema, steps } of found)
    for (const example of schema.examples ?? []) expect([steps, lookUp(...steps)(example)]).toEqual([steps, null])
  for (const [method, path, { responses }] of operationsOf(document))
    for (const [status, { content }] of Object.entries(responses)) {
      const media = content?.['application/json']
      if (media === undefined) continue
      const steps = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema']
      const check = lookUp(...steps)
      if ('example' in media) expect([steps, check(media.example)]).toEqual([steps, null])
    }
})
