import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { QueryError } from '../../../src/service/indexer/query-error.ts'
import { createEndedQueries } from '../../../src/service/query/ended-queries.ts'
import type { EndedQueries } from '../../../src/service/query/ended-queries.ts'
import type { QueryJob } from '../../../src/service/query/query-job.ts'

const MINUTE_MS = 60_000

const createJob = (id: string, isAsync: boolean): QueryJob => ({
  id,
  projectId: 1,
  textHash: 'hash',
  isAsync,
  name: null,
  startTime: 0,
  pickupTime: 0,
  progress: null,
  end: null,
})

describe('the queries that have ended', () => {
  let time = 0
  let queries: EndedQueries
  beforeEach(() => {
    time = 1000
    queries = createEndedQueries({ maxResultBytes: 20, now: () => time })
  })
  afterEach(() => queries.stop())

  it('keep the result of a job, and not that of a query that was answered at once', () => {
    queries.add(createJob('job', true), { answer: { rows: 1 } })
    queries.add(createJob('request', false), { answer: { rows: 1 } })
    expect(queries.find(1, 'job')!.end).toEqual({
      time: 1000,
      expirationTime: 1000 + 20 * MINUTE_MS,
      error: null,
      resultJson: Buffer.from('{"rows":1}'),
    })
    expect(queries.find(1, 'request')!.end).toMatchObject({ error: null, resultJson: null })
    expect(queries.find(2, 'job')).toBeUndefined()
  })

  it('keep why a query has failed', () => {
    const error = new QueryError('timeout', 'Too slow.')
    expect(queries.add(createJob('job', true), { error }).end).toMatchObject({ error, resultJson: null })
    expect(queries.find(1, 'job')!.end!.error).toBe(error)
  })

  it('are forgotten after 20 minutes', () => {
    queries.add(createJob('job', true), { answer: {} })
    time += 20 * MINUTE_MS - 1
    expect(queries.find(1, 'job')).toBeDefined()
    time += 1
    expect(queries.find(1, 'job')).toBeUndefined()
  })

  it('lose the oldest result when there is no room for all', () => {
    for (const id of ['first', 'second', 'third']) queries.add(createJob(id, true), { answer: { rows: 1 } })
    expect(queries.find(1, 'first')!.end).toMatchObject({ error: { code: 'result_removed' }, resultJson: null })
    expect(queries.find(1, 'third')!.end).toMatchObject({ error: null })
  })
})
