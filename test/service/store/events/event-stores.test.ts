import { describe, expect, it } from 'vitest'
import { createQuestionMethods } from '../../../../src/service/insight/question/questions.ts'
import type { EventStore } from '../../../../src/service/store/events/event-store.ts'
import { createEventStores } from '../../../../src/service/store/events/event-stores.ts'
import { StoreOpeningError } from '../../../../src/service/store/events/store-opening-error.ts'
import { positionAfterRow } from '../../../../src/service/store/row-position.ts'

/** Stores that record when they are opened and closed. */
const createRecorder = () => {
  const calls: string[] = []
  const open = async (projectId: number): Promise<EventStore> => {
    calls.push(`open ${projectId}`)
    return {
      position: () => positionAfterRow(projectId),
      personRevision: () => 0,
      findDuplicates: () => Promise.resolve(new Set()),
      canStore: () => Promise.resolve(true),
      add: () => Promise.resolve(),
      discard: () => Promise.resolve(),
      commit: () => Promise.resolve(),
      ...createQuestionMethods(() => Promise.reject(new Error('unexpected question'))),
      interrupt: () => undefined,
      async close() {
        calls.push(`close ${projectId}`)
      },
    }
  }
  return { calls, open }
}

describe('createEventStores', () => {
  it('opens a store once and closes the least recently used one above the limit', async () => {
    const { calls, open } = createRecorder()
    const stores = createEventStores(open, 2)
    const readInboxRow = (projectId: number) => stores.with(projectId, async (store) => store.position().inboxRow)
    for (const projectId of [1, 2, 1, 3]) expect(await readInboxRow(projectId)).toBe(projectId)
    expect(calls).toEqual(['open 1', 'open 2', 'open 3', 'close 2'])
    await stores.close()
    expect(calls.slice(4).sort()).toEqual(['close 1', 'close 3'])
  })

  it('does not close a store that is in use', async () => {
    const { calls, open } = createRecorder()
    const stores = createEventStores(open, 1)
    await stores.with(1, () => stores.with(2, async () => expect(calls).not.toContain('close 1')))
    await stores.close()
  })

  it('retries a store that failed to open', async () => {
    const { open } = createRecorder()
    let attempts = 0
    const stores = createEventStores(
      (projectId) => (attempts++ === 0 ? Promise.reject(new Error('locked')) : open(projectId)),
      1,
    )
    await expect(stores.with(1, async () => undefined)).rejects.toThrow('locked')
    expect(await stores.with(1, async (store) => store.position().inboxRow)).toBe(1)
    await stores.close()
  })

  it('stops waiting for a store that is opening, which neither ends nor repeats the opening', async () => {
    const { calls, open } = createRecorder()
    let finishOpening: () => void = () => undefined
    const opening = new Promise<void>((resolve) => (finishOpening = resolve))
    const stores = createEventStores(async (projectId) => {
      const store = await open(projectId)
      if (projectId === 1) await opening
      return store
    }, 1)
    const readInboxRow = (projectId: number, openTimeoutMs?: number) =>
      stores.with(
        projectId,
        async (store) => store.position().inboxRow,
        openTimeoutMs === undefined ? {} : { openTimeoutMs },
      )
    const patientUse = readInboxRow(1)
    const error: unknown = await readInboxRow(1, 1).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreOpeningError)
    // As the indexer does after an error.
    await stores.reopen(1)
    expect(await readInboxRow(2, 1000)).toBe(2)
    await expect(readInboxRow(1, 1)).rejects.toThrow('project 1 is still opening')
    finishOpening()
    await (error as StoreOpeningError).settled
    expect([await patientUse, await readInboxRow(1, 1)]).toEqual([1, 1])
    expect(calls.filter((call) => call === 'open 1')).toHaveLength(1)
    await stores.close()
  })

  it('closes a failed store for the first caller that tells of it, and not the one after it', async () => {
    const { calls, open } = createRecorder()
    const stores = createEventStores(open, 1)
    const failed = await stores.with(1, async (store) => store)
    await stores.reopen(1, failed)
    await stores.with(1, async (store) => store)
    await stores.reopen(1, failed)
    expect(calls).toEqual(['open 1', 'close 1', 'open 1'])
    await stores.close()
  })

  it('tells the next use why an opening failed that nobody waited for, and then opens again', async () => {
    const { open } = createRecorder()
    let failOpening: (error: Error) => void = () => undefined
    const opening = new Promise<never>((_resolve, reject) => (failOpening = reject))
    let attempts = 0
    const stores = createEventStores((projectId) => (attempts++ === 0 ? opening : open(projectId)), 1)
    const use = () => stores.with(1, async (store) => store.position().inboxRow, { openTimeoutMs: 1 })
    const error = await use().catch((reason: unknown) => reason)
    failOpening(new Error('no space'))
    await (error as StoreOpeningError).settled
    await expect(use()).rejects.toThrow('no space')
    expect(await use()).toBe(1)
    await stores.close()
  })

  it('never reopens a file whose store failed to close', async () => {
    const { calls, open } = createRecorder()
    const stores = createEventStores(
      async (projectId) => ({ ...(await open(projectId)), close: () => Promise.reject(new Error('stuck')) }),
      1,
    )
    await stores.with(1, async () => undefined)
    await stores.reopen(1)
    await expect(stores.with(1, async () => undefined)).rejects.toThrow('stuck')
    await expect(stores.with(1, async () => undefined)).rejects.toThrow('stuck')
    expect(calls).toEqual(['open 1'])
  })

  describe('brief uses', () => {
    /** Stores that record how they are opened. */
    const createBriefRecorder = (maxOpen: number) => {
      const { calls, open } = createRecorder()
      const stores = createEventStores((projectId, isBrief) => {
        if (isBrief) calls.push('brief')
        return open(projectId)
      }, maxOpen)
      return {
        calls,
        stores,
        write: (projectId: number) => stores.with(projectId, async () => undefined, { brief: 'ifFull' }),
      }
    }

    it('open a store that stays open while there is room, and close none of the others', async () => {
      const { calls, stores, write } = createBriefRecorder(2)
      for (const projectId of [1, 2, 3, 1, 4]) await write(projectId)
      expect(calls).toEqual(['open 1', 'open 2', 'brief', 'open 3', 'close 3', 'brief', 'open 4', 'close 4'])
      await stores.close()
    })

    it('leave no store open when they only look', async () => {
      const { calls, stores } = createBriefRecorder(2)
      await stores.with(1, async () => undefined, { brief: 'always' })
      expect(calls).toEqual(['brief', 'open 1', 'close 1'])
      await stores.close()
    })

    it('end before another use opens the store by itself', async () => {
      const { calls, stores } = createBriefRecorder(1)
      await stores.with(1, async () => undefined)
      let end: () => void = () => undefined
      const ended = new Promise<void>((resolve) => (end = resolve))
      const brief = stores.with(2, () => ended, { brief: 'ifFull' })
      const query = stores.with(2, async () => calls.push('query'))
      end()
      await Promise.all([brief, query])
      expect(calls).toEqual(['open 1', 'brief', 'open 2', 'close 2', 'open 2', 'query', 'close 1'])
      await stores.close()
    })

    it('are waited for no longer than for an opening', async () => {
      const { stores } = createBriefRecorder(1)
      let end: () => void = () => undefined
      const ended = new Promise<void>((resolve) => (end = resolve))
      const brief = stores.with(1, () => ended, { brief: 'always' })
      const use = stores.with(1, async () => undefined, { openTimeoutMs: 1 })
      await expect(use).rejects.toThrow('project 1 is still opening')
      end()
      await brief
      await stores.close()
    })

    it('are no longer brief for a project of which one failed, until it opens by itself', async () => {
      const { calls, stores, write } = createBriefRecorder(1)
      await stores.with(1, async () => undefined)
      const fail = () => Promise.reject(new Error('disk full'))
      await expect(stores.with(2, fail, { brief: 'ifFull' })).rejects.toThrow('disk full')
      await write(2)
      expect(calls).toEqual(['open 1', 'brief', 'open 2', 'close 2', 'open 2', 'close 1'])
      await write(1)
      expect(calls.slice(6)).toEqual(['brief', 'open 1', 'close 1'])
      await stores.with(1, async () => undefined)
      await write(2)
      expect(calls.slice(9)).toEqual(['open 1', 'close 2', 'brief', 'open 2', 'close 2'])
      await stores.close()
    })

    it('wait no longer for an opening than others do, and close the store when it opens late', async () => {
      const { calls, open } = createRecorder()
      let openLate: () => void = () => undefined
      const late = new Promise<void>((resolve) => (openLate = resolve))
      const stores = createEventStores(async (projectId) => {
        await late
        return open(projectId)
      }, 1)
      const write = () => stores.with(1, async () => calls.push('used'), { brief: 'always', openTimeoutMs: 1 })
      await expect(write()).rejects.toThrow(StoreOpeningError)
      await expect(write()).rejects.toThrow(StoreOpeningError)
      openLate()
      await stores.with(1, async () => calls.push('used'))
      expect(calls).toEqual(['open 1', 'close 1', 'open 1', 'used'])
      await stores.close()
    })
  })
})
