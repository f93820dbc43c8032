import { afterEach, describe, expect, it } from 'vitest'
import type { IndexingLoop, IndexingLoopOptions } from '../../../src/service/indexer/indexing-loop.ts'
import { startIndexingLoop } from '../../../src/service/indexer/indexing-loop.ts'
import { StoreOpeningError } from '../../../src/service/store/events/store-opening-error.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'
import { until } from './indexer-test-bed.ts'

const createRow = (id: number, projectId: number, bytes = 1): InboxRow => ({
  id,
  projectId,
  receivedAt: 0,
  address: null,
  form: '{}',
  body: new Uint8Array(bytes),
})

const messageOf = (error: unknown): string | null => (error instanceof Error ? error.message : null)

describe('startIndexingLoop', () => {
  let loop: IndexingLoop | undefined
  afterEach(() => loop?.stop())

  /** Advanced by `index`. */
  const clock = { ms: 0 }
  const run = (
    rows: InboxRow[],
    index: IndexingLoopOptions['index'],
    startAfter = 0,
    { damage = { id: Infinity }, mayHaveDied = false } = {},
  ) => {
    const reported = { position: startAfter, idle: 0, failures: [] as (string | null)[], positions: [] as number[] }
    loop = startIndexingLoop({
      inbox: {
        readAfter: (id, maxRows, maxBytes) => {
          const page: InboxRow[] = []
          let bytes = 0
          for (const row of rows) {
            if (row.id <= id || page.length === maxRows || bytes >= maxBytes) continue
            if (row.id >= damage.id && page.length === 0) throw new Error('damaged')
            if (row.id >= damage.id) break
            page.push(row)
            bytes += row.body.length
          }
          return page
        },
        readOthersAfter: ({ after, through, projectId }, maxRows, maxBytes) => {
          const page: InboxRow[] = []
          let bytes = 0
          for (const row of rows) {
            if (row.id <= after || row.id > through || row.projectId === projectId) continue
            if (page.length === maxRows || bytes >= maxBytes) break
            page.push(row)
            bytes += row.body.length
          }
          return page
        },
        lastAssignedId: () => rows.at(-1)?.id ?? 0,
      },
      now: () => clock.ms,
      index,
      startAfter,
      mayHaveDied,
      onProgress(position) {
        reported.position = position
        reported.positions.push(position)
      },
      onIdle: () => (reported.idle += 1),
      onFailure: (_projectId, error) => reported.failures.push(messageOf(error)),
      onReadFailure: (error) => reported.failures.push(messageOf(error)),
    })
    return reported
  }

  it('reports an unreadable row once while earlier rows are retried', async () => {
    const rows = [createRow(1, 1), createRow(2, 1), createRow(3, 1)]
    const damage = { id: 3 }
    let calls = 0
    const index = async (): Promise<void> => {
      calls += 1
      if (calls === 1) throw new Error('no store')
    }
    const reported = run(rows, index, 0, { damage })
    await until(() => reported.position === 2)
    expect(reported.failures).toEqual(['no store', 'damaged', null])
    damage.id = Infinity
    await until(() => reported.position === 3)
    expect(reported.failures).toEqual(['no store', 'damaged', null, null])
  })

  it('passes the rows of each project in order, after the start position', async () => {
    const seen: [number, number[]][] = []
    const rows = [createRow(1, 1), createRow(2, 1), createRow(3, 2), createRow(4, 1)]
    const reported = run(
      rows,
      async (projectId, projectRows) => void seen.push([projectId, projectRows.map((row) => row.id)]),
      1,
    )
    await until(() => reported.position === 4)
    expect(seen).toEqual([
      [1, [2, 4]],
      [2, [3]],
    ])
  })

  const threeProjects = [createRow(1, 1), createRow(2, 2), createRow(3, 3)]

  /** Runs rows of projects, and returns the steps of each: it opens, unless its store is open, then stores. */
  const recordSteps = async (
    rows: InboxRow[],
    {
      mayHaveDied = false,
      open = 0,
      later = [],
    }: { readonly mayHaveDied?: boolean; readonly open?: number; readonly later?: InboxRow[] } = {},
  ): Promise<string[]> => {
    const steps: string[] = []
    const pause = () => new Promise((resolve) => setTimeout(resolve, 1))
    const index: IndexingLoopOptions['index'] = async (projectId, projectRows, { exclusively }) => {
      if (projectId !== open) {
        steps.push(`${projectId} opens`)
        await pause()
      }
      await exclusively(async () => {
        steps.push(`${projectId} stores`)
        // Rows that arrive meanwhile.
        if (projectRows.some(({ id }) => id === 3)) rows.push(...later.splice(0))
        await pause()
        steps.push(`${projectId} ends`)
      })
    }
    const reported = run(rows, index, 0, { mayHaveDied })
    await until(() => later.length === 0 && reported.position === rows.length)
    return steps
  }
  it('opens the store of a project while another one stores its rows, which one does at a time', async () => {
    const steps = await recordSteps([...threeProjects])
    expect(steps.slice(0, 3)).toEqual(['1 opens', '2 opens', '1 stores'])
    expect(steps.indexOf('3 opens')).toBeLessThan(steps.indexOf('2 ends'))
    const stored = steps.filter((step) => !step.endsWith('opens'))
    expect(stored).toEqual(['1 stores', '1 ends', '2 stores', '2 ends', '3 stores', '3 ends'])
  })

  it('lets projects wait for each other while one of them may end the process', async () => {
    const steps = await recordSteps([...threeProjects], { mayHaveDied: true })
    expect(steps).toEqual([1, 2, 3].flatMap((id) => [`${id} opens`, `${id} stores`, `${id} ends`]))
  })

  it('opens stores at once again when the rows are stored that may have ended a process', async () => {
    const later = [createRow(4, 4), createRow(5, 5)]
    const steps = await recordSteps([...threeProjects], { mayHaveDied: true, later })
    expect(steps.slice(0, 9)).toEqual([1, 2, 3].flatMap((id) => [`${id} opens`, `${id} stores`, `${id} ends`]))
    expect(steps.slice(9, 11)).toEqual(['4 opens', '5 opens'])
  })

  it('lets no project with a few rows wait for one with many whose store is open', async () => {
    const steps = await recordSteps([createRow(1, 1, 300 * 1024), createRow(2, 2), createRow(3, 3)], { open: 1 })
    expect(steps.indexOf('1 stores')).toBeGreaterThan(steps.indexOf('3 ends'))
    expect(steps.indexOf('1 stores')).toBeGreaterThan(steps.indexOf('2 ends'))
  })

  it('wakes up from its sleep', async () => {
    const rows: InboxRow[] = []
    const reported = run(rows, async () => undefined)
    await until(() => reported.idle > 0)
    rows.push(createRow(1, 1))
    loop?.wake()
    await until(() => reported.position === 1)
  })

  it('continues with other projects while one fails, and retries it', async () => {
    let failures = 0
    const stored = new Map<number, number>()
    const rows = [createRow(1, 2), createRow(2, 1), createRow(3, 2), createRow(4, 1)]
    const reported = run(rows, async (projectId, projectRows) => {
      if (projectId === 1 && failures++ < 2) throw new Error('disk full')
      for (const row of projectRows) stored.set(row.id, (stored.get(row.id) ?? 0) + 1)
    })
    await until(() => reported.positions.length > 0)
    expect([reported.position, [...stored.keys()]]).toEqual([1, [1, 3]])
    expect(reported.failures[0]).toContain('disk full')
    await until(() => reported.position === 4)
    expect(new Set(stored.keys())).toEqual(new Set([1, 2, 3, 4]))
    expect(reported.failures.at(-1)).toBe(null)
  })

  it('continues with other projects while the store of one opens, and reports no failure', async () => {
    let open: () => void = () => undefined
    const settled = new Promise<void>((resolve) => (open = resolve))
    let isOpen = false
    const calls: [number, number[]][] = []
    const rows = [createRow(1, 1), createRow(2, 2), createRow(3, 1)]
    const reported = run(rows, async (projectId, projectRows) => {
      calls.push([projectId, projectRows.map((row) => row.id)])
      if (projectId === 1 && !isOpen) throw new StoreOpeningError(1, settled)
    })
    await until(() => reported.idle > 0)
    rows.push(createRow(4, 2), createRow(5, 1))
    loop?.wake()
    await until(() => calls.length === 3)
    expect([reported.position, calls]).toEqual([
      0,
      [
        [1, [1, 3]],
        [2, [2]],
        [2, [4]],
      ],
    ])
    isOpen = true
    open()
    await until(() => reported.position === 5)
    expect(calls[3]).toEqual([1, [1, 3, 5]])
    expect(reported.failures).toEqual([])
  })

  it('lets rows gather for longer while they keep arriving', async () => {
    const rows = [createRow(1, 1)]
    const startedAt: number[] = []
    const reported = run(rows, async () => {
      startedAt.push(performance.now())
      if (rows.length < 6) rows.push(createRow(rows.length + 1, 1))
    })
    await until(() => reported.position === 6)
    const pauses = startedAt.slice(1).map((time, index) => time - startedAt[index]!)
    // A timer may end a little early by this clock, and late on a busy machine.
    for (const [index, ms] of [20, 40, 80, 100, 100].entries()) expect(pauses[index]).toBeGreaterThan(ms - 5)
  })

  it('limits the bytes of a batch', async () => {
    const batches: number[] = []
    const rows = [createRow(1, 1, 400_000), createRow(2, 1, 400_000), createRow(3, 1, 400_000)]
    const reported = run(rows, async (_, projectRows) => void batches.push(projectRows.length))
    await until(() => reported.position === 3)
    expect(batches).toEqual([2, 1])
  })

  it('reads larger batches after full ones, and small ones again after a failure', async () => {
    const batches: number[] = []
    let failures = 0
    const rows = Array.from({ length: 60 }, (_, n) => createRow(n + 1, 1, 260_000))
    const reported = run(rows, async (_, projectRows) => {
      if (batches.length === 3 && failures++ === 0) throw new Error('disk full')
      batches.push(projectRows.length)
    })
    await until(() => reported.position === 60)
    // 512 KiB hold three rows, 1 MiB five and 2 MiB nine.
    expect(batches.slice(0, 5)).toEqual([3, 5, 9, 3, 5])
  })

  it('reads larger batches of other projects while one fails', async () => {
    const batches: number[] = []
    const rows = [createRow(1, 2), ...Array.from({ length: 30 }, (_, n) => createRow(n + 2, 1, 260_000))]
    run(rows, async (projectId, projectRows) => {
      if (projectId === 2) throw new Error('disk full')
      batches.push(projectRows.length)
    })
    await until(() => batches.length >= 4)
    expect(batches.slice(0, 4)).toEqual([3, 3, 5, 9])
  })

  const idsOf = (rows: readonly InboxRow[] | null): number[] | null => rows && rows.map(({ id }) => id)

  const MEGABYTE = 1024 * 1024
  /** Rows of a megabyte. The first batches have one of them, the third has two; the next ones would have 4, 8 and 16. */
  const createLargeRows = (count: number, projectOf: (id: number) => number = () => 1) =>
    Array.from({ length: count }, (_, n) => createRow(n + 1, projectOf(n + 1), MEGABYTE))

  it('lets a project whose batch was large continue with the next rows, and reports what is stored meanwhile', async () => {
    const seen: unknown[] = []
    const reported = run(createLargeRows(7), async (_projectId, projectRows, { readMore }) => {
      const more = projectRows[0]!.id < 3 ? [readMore(0)] : [readMore(0), readMore(3), readMore(99), readMore(99)]
      seen.push([idsOf(projectRows), ...more.map(idsOf)])
    })
    await until(() => reported.position === 7)
    expect(seen).toEqual([
      [[1], null],
      [[2], null],
      [[3, 4], [5], [6], [7], null],
    ])
    // What was not read yet is not reported, wherever the store is.
    expect(reported.positions).toEqual([1, 2, 2, 3, 6, 7])
  })

  it('lets no project continue beyond rows of another one', async () => {
    const seen: unknown[] = []
    const rows = createLargeRows(7, (id) => (id === 5 ? 2 : 1))
    const reported = run(rows, async (projectId, projectRows, { readMore }) => {
      seen.push([projectId, idsOf(projectRows), idsOf(readMore(0))])
    })
    await until(() => reported.position === 7)
    expect(seen.slice(2)).toEqual([
      [1, [3, 4], null],
      [2, [5], null],
      [1, [6, 7], null],
    ])
  })

  it('lets no project continue while another one waits for its retry', async () => {
    const seen: unknown[] = []
    const rows = createLargeRows(20, (id) => (id === 1 ? 2 : 1))
    run(rows, async (projectId, projectRows, { readMore }) => {
      if (projectId === 2) throw new Error('disk full')
      if (projectRows.length > 1) seen.push(idsOf(readMore(0)))
    })
    await until(() => seen.length > 0)
    expect(seen[0]).toBe(null)
  })

  it('begins a retry with the first row that is not stored, in small batches', async () => {
    const seen: unknown[] = []
    let hasFailed = false
    const reported = run(createLargeRows(9), async (_projectId, projectRows, { readMore }) => {
      seen.push([idsOf(projectRows), idsOf(readMore(0))])
      if (hasFailed || projectRows[0]!.id < 3) return
      hasFailed = true
      readMore(3)
      throw new Error('disk full')
    })
    await until(() => reported.position === 9)
    // The retry, of one row, ends before the project continues with more.
    expect(seen.slice(2, 5)).toEqual([
      [[3, 4], [5]],
      [[4], null],
      [[5], null],
    ])
    expect(reported.positions).toEqual(reported.positions.toSorted((a, b) => a - b))
  })

  it('lets others have half of the time while one project has a backlog', async () => {
    const batch = 512 * 1024
    // 40 full batches of project 1, and a row of project 2 or 3 behind every one of the last 20.
    const rows: InboxRow[] = []
    for (let place = 0; place < 40; place++) {
      rows.push(createRow(rows.length + 1, 1, batch))
      if (place >= 20) rows.push(createRow(rows.length + 1, place % 2 === 0 ? 2 : 3))
    }
    const order: number[] = []
    const stored: number[] = []
    const index: IndexingLoopOptions['index'] = async (projectId, projectRows, { readMore }) => {
      for (let next: readonly InboxRow[] | null = projectRows; next !== null;) {
        for (const { id } of next) {
          order.push(projectId)
          stored.push(id)
          clock.ms += 400
        }
        next = readMore(next.at(-1)!.id)
      }
    }
    const reported = run(rows, index)
    await until(() => reported.position === rows.length)
    // Each row costs the same time, so that turns alternate until the others have no row left.
    const withOthers = order.slice(1, order.lastIndexOf(3))
    for (let end = 4; end <= withOthers.length; end++) {
      const busy = withOthers.slice(0, end).filter((projectId) => projectId === 1).length
      expect(busy).toBeLessThanOrEqual(end / 2 + 3)
    }
    expect(stored.toSorted((a, b) => a - b)).toEqual(rows.map(({ id }) => id))
    expect(stored.filter((id) => rows[id - 1]!.projectId === 1)).toEqual(
      rows.filter(({ projectId }) => projectId === 1).map(({ id }) => id),
    )
  })

  it('stores rows that were read ahead and failed, when their project is retried', async () => {
    const batch = 512 * 1024
    const rows = [1, 1, 1, 1, 1, 1].map((projectId, place) => createRow(place + 1, projectId, batch))
    rows.push(createRow(7, 2), createRow(8, 2))
    const stored = new Set<number>()
    let failures = 0
    const reported = run(rows, async (projectId, projectRows) => {
      clock.ms += projectRows.length * 400
      if (projectId === 2 && failures++ < 2) throw new Error('disk full')
      for (const { id } of projectRows) stored.add(id)
    })
    await until(() => reported.position === 8)
    expect([...stored].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(reported.failures).toContain('disk full')
  })

  it('aborts the signal of a running batch at a stop', async () => {
    let running: AbortSignal | undefined
    const reported = run([createRow(1, 1)], (_projectId, _rows, { signal }) => {
      running = signal
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
    })
    await until(() => running !== undefined)
    await loop?.stop()
    expect(running?.aborted).toBe(true)
    expect([reported.position, reported.failures]).toEqual([0, []])
  })
})
