import { expect, onTestFinished, test } from 'vitest'
import { QueryError } from '../../../src/service/indexer/query-error.ts'
import { createSessionCounts } from '../../../src/service/playlist/session-counts.ts'
import { duckDbEngine } from '../../../src/service/store/events/duckdb/question/duckdb-engine.ts'
import { createPlaylist } from '../../../src/service/store/metadata/playlists.ts'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { EMPTY_PLAYLIST } from '../../../src/service/playlist/parse-playlist.ts'
import { createMemoryIndexer } from '../support/memory-indexer.ts'
import { OWNER_ID } from '../support/app.ts'

const TIMEOUT_MS = 5000

/** Playlists by name, and a store that takes the time that a test sets for each of them. */
const open = async (durations: Readonly<Record<string, number>>) => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const { id: projectId } = await createProject(metadata, 'Shop', 1)
  let time = 1_800_000_000_000
  let queries: string[] = []
  const indexer = createMemoryIndexer(({ sql, timeoutMs }) => {
    const name = Object.keys(durations).find((each) => sql.includes(`'${each}'`))!
    queries.push(`${name} ${timeoutMs}`)
    time += Math.min(durations[name]!, timeoutMs)
    if (durations[name]! > timeoutMs) return Promise.reject(new QueryError('timeout', 'The query took too long.'))
    return Promise.resolve({ columns: ['count'], types: ['BIGINT'], rows: [[1]], hasMore: false })
  })
  const playlists = await Promise.all(
    Object.keys(durations).map((event) => {
      const filters = { events: [{ id: event, type: 'events' }] }
      const fields = { ...EMPTY_PLAYLIST, name: event, type: 'filters', filters } as const
      return createPlaylist(metadata, projectId, fields, { userId: OWNER_ID, now: 1 })
    }),
  )
  const counts = createSessionCounts({
    metadata,
    indexer,
    engine: duckDbEngine,
    timeoutMs: TIMEOUT_MS,
    now: () => time,
  })
  return {
    /** Reads the counts a second later, after events have arrived. Returns the queries with their time, and the counts. */
    read: async () => {
      time += 1000
      indexer.moveTo(time)
      queries = []
      const results = await counts.read(projectId, playlists)
      return { queries, counts: results.map(({ count }) => count) }
    },
  }
}

test('counts of a list share its time, and those that had none are the first of the next request', async () => {
  const { read } = await open({ a: 2000, b: 2000, c: 2000 })
  expect(await read()).toEqual({ queries: ['a 5000', 'b 3000', 'c 1000'], counts: [1, 1, null] })
  expect(await read()).toEqual({ queries: ['c 5000', 'a 3000', 'b 1000'], counts: [1, 1, 1] })
  expect((await read()).queries).toEqual(['b 5000', 'c 3000', 'a 1000'])
})

test('a playlist that takes all the time does not keep others from being counted', async () => {
  const { read } = await open({ endless: 1_000_000, quick: 10, other: 10 })
  expect(await read()).toEqual({ queries: ['endless 5000'], counts: [null, null, null] })
  expect(await read()).toEqual({ queries: ['quick 5000', 'other 4990', 'endless 4980'], counts: [null, 1, 1] })
})
