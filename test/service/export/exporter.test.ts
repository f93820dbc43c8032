import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createExporter } from '../../../src/service/export/exporter.ts'
import type { ExporterParts } from '../../../src/service/export/exporter.ts'
import { createExportFiles } from '../../../src/service/export/export-files.ts'
import { QueryError } from '../../../src/service/indexer/query-error.ts'
import {
  countExports,
  createExport,
  endExport,
  findExport,
  removeExport,
  resumeExports,
  startExport,
} from '../../../src/service/store/metadata/exports.ts'
import type { Export } from '../../../src/service/store/metadata/exports.ts'
import { ONLY_NODE } from '../../../src/service/store/metadata/node-id.ts'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { OWNER_ID } from '../support/app.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const NOW = 1_800_000_000_000

/** A job that ends when the test says so. */
interface RunningContent {
  readonly job: Export
  readonly signal: AbortSignal
  readonly resolve: (text: string) => void
  readonly reject: (error: unknown) => void
}

const open = async () => {
  const folder = createTempFolder()
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const first = await createProject(metadata, 'Shop', NOW)
  const second = await createProject(metadata, 'Blog', NOW)
  const third = await createProject(metadata, 'Docs', NOW)
  const errors: unknown[] = []
  const running: RunningContent[] = []
  const clock = { now: NOW }

  const create = (
    fields: { readonly projectId?: number; readonly expiresAt?: number; readonly nodeId?: string } = {},
  ) => {
    const { projectId = first.id, expiresAt = NOW + 1000, nodeId = ONLY_NODE } = fields
    const values = { dashboardId: null, insightId: null, format: 'text/csv', context: {}, filename: 'a.csv', expiresAt }
    return createExport({ metadata, nodeId }, projectId, values, { userId: OWNER_ID, now: NOW })
  }

  /** Starts the exporter of a process; `crash` ends it without its knowledge. */
  const start = async (parts: Partial<ExporterParts> = {}) => {
    const exporter = createExporter({
      metadata,
      nodeId: ONLY_NODE,
      files: createExportFiles(folder),
      createContent: (job, signal) =>
        Promise.resolve(
          (async function* () {
            yield await new Promise<string>((resolve, reject) => {
              running.push({ job, signal, resolve, reject })
              signal.addEventListener('abort', () => reject(new Error('aborted')))
            })
          })(),
        ),
      maxBytes: 1000,
      now: () => clock.now,
      onError: (error) => errors.push(error),
      retryMs: 1,
      ...parts,
    })
    onTestFinished(() => exporter.close())
    await exporter.start()
    return exporter
  }
  const find = (id: number, projectId = first.id) => findExport(metadata, projectId, id, clock.now)
  /** Waits until `count` jobs have begun in all. */
  const begun = async (count: number): Promise<RunningContent> => {
    await expect.poll(() => running.length).toBeGreaterThanOrEqual(count)
    return running[count - 1]!
  }
  const ended = (id: number, projectId?: number) =>
    vi.waitFor(async () => {
      const item = await find(id, projectId)
      expect(['done', 'failed']).toContain(item?.state)
      return item!
    }, 20_000)
  const list = () => readdirSync(folder).toSorted()
  return { folder, metadata, first, second, third, create, start, find, begun, ended, running, errors, clock, list }
}

describe('the exporter', () => {
  test('runs one job of a project after the other, and two projects at once', async () => {
    const { second, create, start, begun, ended, running } = await open()
    const [one, two] = [await create(), await create()]
    const other = await create({ projectId: second.id })
    await start()
    await begun(2)
    expect(running.map(({ job }) => job.id)).toEqual([one.id, other.id])
    running[0]!.resolve('content')
    expect(await ended(one.id)).toMatchObject({ state: 'done', contentBytes: 7, error: null })
    expect((await begun(3)).job.id).toBe(two.id)
  })

  test('looks for new jobs when it is told to', async () => {
    const { create, start, begun } = await open()
    const exporter = await start()
    const { id } = await create()
    exporter.wake()
    expect((await begun(1)).job.id).toBe(id)
  })

  test('continues what an earlier process has left, and removes what that has half written', async () => {
    const { metadata, create, start, begun, ended, list } = await open()
    const job = await create()
    await startExport({ metadata, nodeId: ONLY_NODE }, job)
    await start()
    const { resolve, job: again } = await begun(1)
    expect(again).toMatchObject({ id: job.id, attempts: 1 })
    resolve('content')
    await ended(job.id)
    expect(list()).toEqual([String(job.id)])
  })

  test('gives up a job during which the service has died three times', async () => {
    const { metadata, create, start, ended, running } = await open()
    const job = await create()
    const node = { metadata, nodeId: ONLY_NODE }
    for (const attempts of [0, 1, 2]) {
      await startExport(node, { ...job, attempts })
      await resumeExports(node)
    }
    await start()
    expect(await ended(job.id)).toMatchObject({ state: 'failed', error: expect.stringContaining('3 times') })
    expect(running).toEqual([])
  })

  test('ends a job at a stop, which does not count as an attempt', async () => {
    const { create, start, find, begun, errors, list } = await open()
    const job = await create()
    const exporter = await start()
    await begun(1)
    await exporter.close()
    expect(await find(job.id)).toMatchObject({ state: 'waiting', attempts: 0 })
    expect([errors, list()]).toEqual([[], []])
  })

  test('waits before it writes metadata again that could not be written', async () => {
    const { metadata, create, start, begun, ended, errors } = await open()
    const job = await create()
    let failures = 3
    const failing = new Proxy(metadata, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (name !== 'updateTable') return typeof value === 'function' ? value.bind(target) : value
        // The first call is that of the start of the exporter.
        return (...args: [never]) => {
          if (errors.length < failures && args[0] === 'exports' && isStarted) throw new Error('The disk is full.')
          return target.updateTable(...args)
        }
      },
    })
    let isStarted = false
    const exporter = await start({ metadata: failing })
    isStarted = true
    const next = await create()
    ;(await begun(1)).resolve('content')
    expect(await ended(job.id)).toMatchObject({ state: 'done' })
    failures += 3
    exporter.wake()
    ;(await begun(2)).resolve('content')
    expect(await ended(next.id)).toMatchObject({ state: 'done', attempts: 1 })
    expect(errors).toHaveLength(6)
  })

  test('starts whatever is in its folder', async () => {
    const { folder, create, start, begun, ended } = await open()
    mkdirSync(join(folder, 'lost+found'))
    writeFileSync(join(folder, 'notes.txt'), 'of the owner')
    const job = await create()
    await start()
    ;(await begun(1)).resolve('content')
    await ended(job.id)
    expect(readdirSync(folder).toSorted()).toEqual([String(job.id), 'lost+found', 'notes.txt'])
  })

  test('makes a content again that is lost', async () => {
    const { folder, create, start, begun, ended } = await open()
    const job = await create()
    const exporter = await start()
    ;(await begun(1)).resolve('content')
    await ended(job.id)
    await exporter.close()
    rmSync(join(folder, String(job.id)))
    await start()
    ;(await begun(2)).resolve('content again')
    await expect.poll(() => readFileSync(join(folder, String(job.id)), 'utf8')).toBe('content again')
  })

  test('leaves the jobs of another node to it, also those whose contents only that one has', async () => {
    const { metadata, create, start, find, begun, ended, running, list } = await open()
    const other = { metadata, nodeId: 'other' }
    const [made, started, waiting] = [await create(other), await create(other), await create(other)]
    await startExport(other, made)
    await endExport(metadata, made.id, { contentBytes: 900 })
    await startExport(other, started)
    const own = await create()
    await start()
    ;(await begun(1)).resolve('x'.repeat(200))
    expect(await ended(own.id)).toMatchObject({ state: 'done' })
    const states = await Promise.all([made, started, waiting].map(async ({ id }) => (await find(id))?.state))
    expect(states).toEqual(['done', 'running', 'waiting'])
    expect([running.length, list()]).toEqual([1, [String(own.id)]])
  })

  test('ends the job of an export that expires', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { create, start, begun, clock, list, errors } = await open()
    await create()
    await start()
    const { signal } = await begun(1)
    clock.now = NOW + 2000
    await vi.advanceTimersByTimeAsync(60_000)
    await expect.poll(() => [signal.aborted, list()]).toEqual([true, []])
    expect(errors).toEqual([])
  })

  test('tells why a job has failed, and puts what is not for users into the log', async () => {
    const { create, start, begun, ended, errors, list } = await open()
    const [first, second] = [await create(), await create()]
    await start()
    ;(await begun(1)).reject(new QueryError('timeout', 'It took too long.'))
    expect(await ended(first.id)).toMatchObject({ state: 'failed', error: 'It took too long.' })
    const cause = new Error('secret path')
    ;(await begun(2)).reject(cause)
    expect(await ended(second.id)).toMatchObject({ state: 'failed', error: expect.stringContaining('its log') })
    expect([errors, list()]).toEqual([[cause], []])
  })

  test('refuses a content that does not fit beside the others of its project, which has half of the space', async () => {
    const { second, create, start, begun, ended } = await open()
    const exporter = await start()
    const make = async (projectId: number | null, bytes: number, attempt: number) => {
      const { id } = await create(projectId === null ? {} : { projectId })
      exporter.wake()
      ;(await begun(attempt)).resolve('x'.repeat(bytes))
      return projectId === null ? ended(id) : ended(id, projectId)
    }
    expect(await make(null, 501, 1)).toMatchObject({ state: 'failed', error: expect.stringContaining('this project') })
    expect(await make(null, 400, 2)).toMatchObject({ state: 'done' })
    expect(await make(second.id, 500, 3)).toMatchObject({ state: 'done' })
    expect(await make(null, 101, 4)).toMatchObject({ state: 'failed', error: expect.stringContaining('space') })
    expect(await make(null, 100, 5)).toMatchObject({ state: 'done' })
  })

  test('refuses contents of different projects that together exceed the space', async () => {
    const { first, second, third, create, start, begun, ended } = await open()
    const projects = [first, second, third]
    const jobs = []
    for (const { id: projectId } of projects) jobs.push(await create({ projectId }))
    await start()
    await begun(3)
    // Each has less than its half of the 1000 bytes; two of them fit.
    for (const [index] of jobs.entries()) (await begun(index + 1)).resolve('x'.repeat(400))
    const items = []
    for (const { id, projectId } of jobs) items.push(await ended(id, projectId))
    expect(items.map(({ state }) => state).toSorted()).toEqual(['done', 'done', 'failed'])
    const failed = items.find(({ state }) => state === 'failed')
    expect(failed?.error).toContain('the space that exports have left')
  })

  test('cancels the job of an export that is removed, and leaves no content', async () => {
    const { metadata, first, create, start, begun, errors, list } = await open()
    const job = await create()
    const exporter = await start()
    const { signal } = await begun(1)
    expect(await removeExport(metadata, first.id, job.id)).toBe(true)
    await exporter.remove(job.id)
    expect([signal.aborted, errors, list()]).toEqual([true, [], []])
    expect(await countExports(metadata, first.id)).toEqual({ all: 0, open: 0 })
  })

  test('removes exports that have expired, with their contents', async () => {
    const { create, start, begun, ended, find, clock, list } = await open()
    const [kept, expired] = [await create({ expiresAt: NOW + 9000 }), await create()]
    const exporter = await start()
    for (const count of [1, 2]) (await begun(count)).resolve('content')
    await ended(kept.id)
    await ended(expired.id)
    await exporter.close()
    clock.now = NOW + 2000
    await start()
    expect([await find(expired.id), list()]).toEqual([undefined, [String(kept.id)]])
  })
})
