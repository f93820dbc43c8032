import { expect, test } from 'vitest'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import { REQUEST_EXAMPLES } from '../../../src/service/openapi/request-examples.ts'
import type { ManagementRoute } from '../../../src/service/management/api.ts'
import { createSchemaLookup } from '../support/document-checker.ts'
import type { OpenApiDocument, OpenApiOperation } from '../support/document-checker.ts'
import { openApp } from '../support/app.ts'
import { openManagement } from '../support/management.ts'

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
      ...(security.length > 0 ? ['401'] : []),
      // Lists for websites have neither scopes nor limits.
      ...(security.some((each) => 'personalApiKey' in each) ? ['403', '429'] : []),
      ...(path.includes('{') ? ['400', '404'] : []),
      '500',
    ]
    for (const status of expected) expect([at, Object.keys(responses)]).toEqual([at, expect.arrayContaining([status])])
    if (security.some((each) => 'projectApiKey' in each)) expect(Object.keys(responses)).not.toContain('403')
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

test('shows a body for each operation that takes one, which matches its schema', async () => {
  const document = await readDocument()
  const lookUp = createSchemaLookup(document)
  const shown = new Set<unknown>()
  for (const [method, path, { requestBody }] of operationsOf(document)) {
    if (requestBody === undefined) continue
    const steps = ['paths', path, method, 'requestBody', 'content', 'application/json']
    const { example } = requestBody.content['application/json']!
    expect([steps, example]).toEqual([steps, expect.any(Object)])
    expect([steps, lookUp(...steps, 'schema')(example)]).toEqual([steps, null])
    shown.add(JSON.stringify(example))
  }
  // No example is left of an operation that is gone.
  expect(shown).toEqual(new Set(Object.values(REQUEST_EXAMPLES).map((example) => JSON.stringify(example))))
})

/** Functions that send the bodies that the document shows, as the owner of an organisation with one other member. */
const openExamples = async () => {
  const { app, addUser } = await openManagement()
  const { send } = await addUser('ann@shop.example', LEVELS.owner)
  const { user } = await addUser('bob@shop.example', LEVELS.member)
  const { paths }: OpenApiDocument = (await app.inject('/api/schema/')).json()
  const pathOf = (method: string, id: string): string =>
    Object.entries(paths).find(([, methods]) => methods[method]?.operationId === id)![0]
  const places: Record<string, string> = {
    project_id: '1',
    organization_id: '@current',
    uuid: '@me',
    user__uuid: user.uuid,
    parent_membership__user__uuid: user.uuid,
  }
  const fill = (path: string, item: Readonly<Record<string, unknown>> = {}): string =>
    path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => places[name] ?? String(item[name]))
  const create = (path: string) => {
    const example = REQUEST_EXAMPLES[paths[path]!['post']!.operationId]!
    return send('POST', fill(path), 'user_uuid' in example ? { ...example, user_uuid: user.uuid } : example)
  }
  /** Changes an item, which is created if that is possible. */
  const openChange = async (id: string) => {
    const path = pathOf('patch', id)
    const list = path.replace(/\{[^}]+\}\/$/, '')
    const item = paths[list]?.['post'] ? (await create(list)).body : {}
    return () => send('PATCH', fill(path, item), REQUEST_EXAMPLES[id])
  }
  return { create: (id: string) => create(pathOf('post', id)), openChange }
}

test.each(Object.keys(REQUEST_EXAMPLES).filter((id) => id.endsWith('_create') && id !== 'query_create'))(
  'accepts the body that it shows for %s',
  async (id) => {
    const { create } = await openExamples()
    expect(await create(id)).toMatchObject({ status: 201 })
  },
)

test.each(Object.keys(REQUEST_EXAMPLES).filter((id) => id.endsWith('_update')))(
  'accepts the change that it shows for %s, and refuses it when it is based on an old version',
  async (id) => {
    const { openChange } = await openExamples()
    const change = await openChange(id)
    expect(await change()).toMatchObject({ status: 200, body: { version: 2 } })
    expect(await change()).toMatchObject({ status: 409, body: { code: 'version_conflict', attr: 'version' } })
  },
)

test.each([
  ['surveys', 'start_date', ['2026-01-31', '2026-01-31T09:00:00+01:00', null], ['soon', '2026-01-31T09:00:00', 7]],
  ['surveys', 'end_date', ['2026-01-31', null], ['never']],
  ['feature_flags', 'name', ['Beta', null], [7]],
  ['feature_flags', 'deleted', [true, null], ['yes']],
  ['cohorts', 'deleted', [true, null], ['yes']],
])('describes what the service accepts in %s as %s', async (resource, field, valid, invalid) => {
  const { request } = await openManagement()
  const path = ['paths', `/api/projects/{project_id}/${resource}/`, 'post', 'requestBody']
  const check = createSchemaLookup(await readDocument())(...path, 'content', 'application/json', 'schema')
  let count = 0
  const bodyWith = (value: unknown): object => {
    const name = `item ${++count}`
    const question = { type: 'open', question: 'Why?' }
    const required = {
      surveys: { name, type: 'popover', questions: [question] },
      feature_flags: { key: name, filters: { groups: [] } },
      cohorts: { name, filters: { properties: {} } },
    }
    return { ...required[resource as keyof typeof required], [field]: value }
  }
  const results = async (values: readonly unknown[]) => {
    const bodies = values.map(bodyWith)
    const statuses = await Promise.all(bodies.map(async (body) => (await request('POST', `${resource}/`, body)).status))
    return bodies.map((body, index) => [check(body) === null, statuses[index]])
  }
  expect(await results(valid)).toEqual(valid.map(() => [true, 201]))
  expect(await results(invalid)).toEqual(invalid.map(() => [false, 400]))
})
