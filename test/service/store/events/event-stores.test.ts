import { describe, expect, it } from 'vitest'
import type { EventStore } from '../../../../src/service/store/events/event-store.ts'
import { createEventStores } from '../../../../src/service/store/events/event-stores.ts'
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
      query: () => Promise.reject(new Error('unexpected query')),
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
})
