import { afterEach, describe, expect, it } from 'vitest'
import type { IndexingLoop, LoopOptions } from '../../../src/service/indexer/loop.ts'
import { startLoop } from '../../../src/service/indexer/loop.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'
import { until } from './indexer-bed.ts'

const rowOf = (id: number, projectId: number, bytes = 1): InboxRow => ({
  id,
  projectId,
  receivedAt: 0,
  address: null,
  form: '{}',
  body: new Uint8Array(bytes),
})

const textOf = (error: unknown): string | null => (error instanceof Error ? error.message : null)

describe('startLoop', () => {
  let loop: IndexingLoop | undefined
  afterEach(() => loop?.stop())

  const run = (rows: InboxRow[], index: LoopOptions['index'], from = 0) => {
    const heard = { position: from, idle: 0, failures: [] as (string | null)[], positions: [] as number[] }
    loop = startLoop({
      inbox: {
        readAfter: (id, maxRows, maxBytes) => {
          const found: InboxRow[] = []
          let bytes = 0
          for (const row of rows) {
            if (row.id <= id || found.length === maxRows || bytes >= maxBytes) continue
            found.push(row)
            bytes += row.body.length
          }
          return found
        },
      },
      index,
      from,
      onProgress(position) {
        heard.position = position
        heard.positions.push(position)
      },
      onIdle: () => (heard.idle += 1),
      onFailure: (_projectId, error) => heard.failures.push(textOf(error)),
      onReadFailure: (error) => heard.failures.push(textOf(error)),
    })
    return heard
  }

  it('brings the rows of each project in their order, from the given row on', async () => {
    const seen: [number, number[]][] = []
    const rows = [rowOf(1, 1), rowOf(2, 1), rowOf(3, 2), rowOf(4, 1)]
    const heard = run(rows, async (projectId, own) => void seen.push([projectId, own.map((row) => row.id)]), 1)
    await until(() => heard.position === 4)
    expect(seen).toEqual([
      [1, [2, 4]],
      [2, [3]],
    ])
  })

  it('hears a wake while it rests', async () => {
    const rows: InboxRow[] = []
    const heard = run(rows, async () => undefined)
    await until(() => heard.idle > 0)
    rows.push(rowOf(1, 1))
    loop?.wake()
    await until(() => heard.position === 1)
  })

  it('goes on with other projects while one fails, stays before its first row, and tries it again', async () => {
    let failures = 0
    const stored = new Map<number, number>()
    const rows = [rowOf(1, 2), rowOf(2, 1), rowOf(3, 2), rowOf(4, 1)]
    const heard = run(rows, async (projectId, own) => {
      if (projectId === 1 && failures++ < 2) throw new Error('disk full')
      for (const row of own) stored.set(row.id, (stored.get(row.id) ?? 0) + 1)
    })
    await until(() => heard.positions.length > 0)
    expect([heard.position, [...stored.keys()]]).toEqual([1, [1, 3]])
    expect(heard.failures[0]).toContain('disk full')
    await until(() => heard.position === 4)
    expect(new Set(stored.keys())).toEqual(new Set([1, 2, 3, 4]))
    expect(heard.failures.at(-1)).toBe(null)
  })

  it('ends a batch at its bytes', async () => {
    const batches: number[] = []
    const rows = [rowOf(1, 1, 400_000), rowOf(2, 1, 400_000), rowOf(3, 1, 400_000)]
    const heard = run(rows, async (_, own) => void batches.push(own.length))
    await until(() => heard.position === 3)
    expect(batches).toEqual([2, 1])
  })
})
