import { describe, expect, test } from 'vitest'
import { savePersons } from '../../../src/service/store/metadata/persons.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { worldEvent } from '../../contract/questions/world.ts'
import type { WorldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 0, 15, 12)
const UNKNOWN = '0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e10'

const visit = (distinctId: string, daysAgo: number, properties: JsonObject | null) =>
  worldEvent({
    distinctId,
    timestamp: NOW,
    person: properties === null ? null : { properties, createdAt: NOW - daysAgo * DAY_MS },
  })

const EVENTS = [
  visit('ada', 1, { email: 'Ada@shop.example', plan: 'pro' }),
  visit('bob', 2, { name: 'Bob', plan: 'free' }),
  visit('eve', 3, { plan: 'pro' }),
  visit('nobody', 0, null),
]

/** The persons are in both stores, as the indexer writes them. */
const open = async () => {
  const service = await openInsights(EVENTS, NOW)
  const known = EVENTS.filter(({ person }) => person !== null)
  await service.metadata.transaction().execute((transaction) =>
    savePersons(transaction, service.project.id, {
      persons: known.map(({ personId, person }) => ({ id: personId, isIdentified: true, ...person! })),
      newDistinctIds: known.map(({ distinctId, personId }) => [distinctId, personId]),
      merges: [],
    }),
  )
  const names = async (query: string) => {
    const { status, body } = await service.request('GET', `persons/?${encodeURI(query)}`)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body.results.map(({ distinct_ids }: JsonObject) => (distinct_ids as string[])[0])
  }
  return { ...service, names }
}

const toBody = ({ personId, distinctId, person }: WorldEvent, name: string) => ({
  id: personId,
  uuid: personId,
  name,
  distinct_ids: [distinctId],
  properties: person!.properties,
  is_identified: true,
  created_at: new Date(person!.createdAt).toISOString(),
})

describe('the persons of a project', () => {
  test('are listed, the newest first', async () => {
    const { request } = await open()
    const [ada, bob, eve] = EVENTS
    expect((await request('GET', 'persons/')).body).toEqual({
      next: null,
      previous: null,
      results: [toBody(ada!, 'Ada@shop.example'), toBody(bob!, 'Bob'), toBody(eve!, 'eve')],
    })
  })

  test('are selected by their properties and ids', async () => {
    const { names } = await open()
    const expected: readonly (readonly [string, readonly string[]])[] = [
      ['search=SHOP', ['ada']],
      ['search=bob', ['bob']],
      ['search= ', ['ada', 'bob', 'eve']],
      ['email=ada@shop.example', ['ada']],
      ['email=shop', []],
      ['distinct_id=eve', ['eve']],
      ['distinct_id=Eve', []],
      ['distinct_id=nobody', []],
      ['properties=[{"key":"plan","value":"pro","type":"person"}]', ['ada', 'eve']],
      ['properties=[{"key":"plan","value":"pro","type":"person"}]&distinct_id=eve', ['eve']],
      ['properties=[{"key":"plan","value":"pro","type":"person"}]&email=ada@shop.example&search=eve', []],
      ['limit=2&offset=1', ['bob', 'eve']],
    ]
    for (const [query, found] of expected) expect([query, await names(query)]).toEqual([query, found])
  })

  test('come in pages', async () => {
    const { request, send } = await open()
    const { body: first } = await request('GET', 'persons/?limit=2')
    expect([first.results.length, first.previous]).toEqual([2, null])
    const { body: second } = await send('GET', first.next.slice(first.next.indexOf('/api')))
    expect(second).toMatchObject({
      next: null,
      results: [{ name: 'eve' }],
      previous: expect.stringContaining('offset=0'),
    })
  })

  test('are read one by one, with their distinct ids', async () => {
    const { request, metadata, project } = await open()
    const [ada] = EVENTS
    const newDistinctIds = [['phone', ada!.personId] as const]
    await savePersons(metadata, project.id, { persons: [], newDistinctIds, merges: [] })
    const body = { ...toBody(ada!, 'Ada@shop.example'), distinct_ids: ['ada', 'phone'] }
    expect(await request('GET', `persons/${ada!.personId}/`)).toMatchObject({ status: 200, body })
    expect((await request('GET', `persons/${ada!.personId.toUpperCase()}/`)).body).toEqual(body)
    for (const id of [UNKNOWN, 'ada', "'", EVENTS[3]!.personId])
      expect(await request('GET', `persons/${id}/`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('are read with a thousand of their distinct ids', async () => {
    const { request, metadata, project } = await open()
    const [ada] = EVENTS
    const newDistinctIds = Array.from({ length: 1_500 }, (_, n) => [`id ${n}`, ada!.personId] as const)
    await savePersons(metadata, project.id, { persons: [], newDistinctIds, merges: [] })
    const { distinct_ids: ids } = (await request('GET', `persons/${ada!.personId}/`)).body
    expect([ids.length, new Set(ids).size]).toEqual([1_000, 1_000])
  })

  test('are named by a distinct id that no agent has made up', async () => {
    const { metadata, project, request } = await open()
    const person = { id: UNKNOWN, properties: { email: 7, name: '' }, createdAt: NOW, isIdentified: false }
    const ids = ['01890000-0000-7000-8000-000000000000', 'user-1']
    const newDistinctIds = ids.map((id) => [id, UNKNOWN] as const)
    await savePersons(metadata, project.id, { persons: [person], newDistinctIds, merges: [] })
    expect((await request('GET', `persons/${UNKNOWN}/`)).body.name).toBe('user-1')
  })

  test('are not listed with a parameter that cannot be applied', async () => {
    const { request } = await open()
    for (const [query, attr, detail] of [
      ['properties={', 'properties', '"properties" must be JSON.'],
      [
        'properties=[{"key":"plan","value":"pro"}]',
        'properties[0].type',
        '"properties[0].type" must be person or cohort.',
      ],
      ['properties=[{"key":"plan","type":"person"}]', 'properties[0].value', '"properties[0].value" is missing.'],
      [`search=${'x'.repeat(1001)}`, 'search', '"search" must be'],
      ['limit=x', 'limit', '"limit" must be an integer.'],
    ])
      expect(await request('GET', `persons/?${encodeURI(query!)}`)).toMatchObject({
        status: 400,
        body: { attr, detail: expect.stringContaining(detail!) },
      })
  })
})
