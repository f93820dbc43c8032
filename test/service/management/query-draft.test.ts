import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { QueryControl } from '../../../src/service/indexer/query-control.ts'
import { QueryError } from '../../../src/service/indexer/query-error.ts'
import { createQuestionMethods } from '../../../src/service/insight/question/questions.ts'
import { createMemoryIndexer } from '../support/memory-indexer.ts'
import { openManagement } from '../support/management.ts'
import type { EventStore } from '../../../src/service/store/events/event-store.ts'
import { batchOf, storedEvent } from '../../contract/service-event-store.ts'
import { openTestEventStore } from '../support/event-store.ts'

let store: EventStore
let close: () => Promise<void>
beforeAll(async () => {
  ;({ store, close } = await openTestEventStore(1))
  const events = ['ada', 'ada', 'bob'].map((distinctId, index) =>
    storedEvent(index + 1, {
      event: 'bought',
      distinctId,
      properties: { plan: distinctId === 'ada' ? 'pro' : 'free' },
    }),
  )
  await store.commit(batchOf(events))
})
afterAll(() => close())

const open = () => openManagement({ indexer: createMemoryIndexer(undefined, store) })

/** An indexer that answers all questions in one way. */
const createIndexer = (answer: (control: QueryControl | undefined) => Promise<never>) =>
  createMemoryIndexer(
    undefined,
    createQuestionMethods((_name, _question, control) => answer(control)),
  )

const path = (question: string, name = 'question') => `query/draft_sql/?${name}=${encodeURIComponent(question)}`

// API: | GET | /api/environments/:project_id/query/draft_sql/ | none given | parameters: not shown | 200, no body |
// README: It answers `{"sql", "explanation"}`; nothing is run.
describe('a draft', () => {
  test('is a SELECT with an explanation, and runs', async () => {
    const { request } = await open()
    const { status, body } = await request('GET', path('How many people boguht by plan?'))
    expect(status).toBe(200)
    expect(body.explanation).toBe(
      'The number of different persons with the event "bought" of all time by the event property "plan". ' +
        '"boguht" is read as the event "bought".',
    )
    const { rows } = await store.query({ sql: body.sql, timeoutMs: 10_000, maxRows: 10 })
    expect(rows).toEqual([
      ['free', 1],
      ['pro', 1],
    ])
  })

  test.each(['query/draft_sql/', 'query/draft_sql/?question=', 'query/draft_sql?question=%20'])(
    'is empty without a question: %s',
    async (url) => {
      const { request } = await open()
      const { status, body } = await request('GET', url)
      expect([status, body]).toEqual([200, { sql: '', explanation: expect.stringContaining('"question"') }])
    },
  )

  test('takes the parameter "prompt" for the same', async () => {
    const { request } = await open()
    const { status, body } = await request('GET', path('count bought', 'prompt'))
    expect([status, body.sql]).toEqual([200, expect.stringContaining("events.event = 'bought'")])
  })

  test('says which part of a question it does not understand', async () => {
    const { request } = await open()
    const { status, body } = await request('GET', path('How many persons did "teleport"?'))
    expect([status, body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'question_not_understood',
        detail: 'Cannot understand "teleport": there is no event of this name. The project has "bought".',
        attr: 'question',
      },
    ])
  })

  test('has a limit for the question', async () => {
    const { request } = await open()
    expect((await request('GET', path('x'.repeat(1_001)))).status).toBe(400)
  })

  test('reads the names with a query, which has a slot and ends when the client leaves', async () => {
    let running = 0
    let mostRunning = 0
    let started = 0
    const indexer = createIndexer(async (control) => {
      started += 1
      running += 1
      mostRunning = Math.max(mostRunning, running)
      await once(control!.signal!, 'abort')
      running -= 1
      throw new QueryError('cancelled', 'The query was cancelled.')
    })
    const { app, project, personalApiKey } = await openManagement({ indexer })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const send = () => {
      const client = new AbortController()
      const response = fetch(`${origin}/api/environments/${project.id}/${path('count bought')}`, {
        headers: { authorization: `Bearer ${personalApiKey}` },
        signal: client.signal,
      })
      return { leave: () => client.abort(), ended: expect(response).rejects.toThrow() }
    }
    const clients = [send(), send(), send(), send()]
    await expect.poll(() => started).toBe(2)
    for (const client of clients) client.leave()
    await Promise.all(clients.map(({ ended }) => ended))
    await expect.poll(() => running).toBe(0)
    expect(mostRunning).toBe(2)
  })

  test.each([
    ['timeout', 504, 'timeout'],
    ['memory', 400, 'query_memory'],
    ['project_busy', 429, 'too_many_queries'],
  ] as const)('fails as other queries do: %s', async (error, status, code) => {
    const indexer = createIndexer(async () => {
      throw new QueryError(error, 'It failed.')
    })
    const { request } = await openManagement({ indexer })
    const response = await request('GET', path('count bought'))
    expect([response.status, response.body.code]).toEqual([status, code])
  })

  test('is a 503 while the events cannot be read', async () => {
    const indexer = createIndexer(() => Promise.reject(new QueryError('store_unavailable', 'The indexer is starting.')))
    const { request } = await openManagement({ indexer })
    const { status, body, headers } = await request('GET', path('count bought'))
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'store_unavailable', '1'])
  })
})
