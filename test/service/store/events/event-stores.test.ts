import { describe, expect, it } from 'vitest'
import type { EventStore } from '../../../../src/service/store/events/event-store.ts'
import { createEventStores } from '../../../../src/service/store/events/event-stores.ts'
import { after } from '../../../../src/service/store/row-position.ts'

/** Stores that only tell when they are opened and closed. */
const recorder = () => {
  const told: string[] = []
  const open = async (projectId: number): Promise<EventStore> => {
    told.push(`open ${projectId}`)
    return {
      position: () => after(projectId),
      personRevision: () => 0,
      duplicates: () => Promise.resolve(new Set()),
      holds: () => Promise.resolve(true),
      commit: () => Promise.resolve(),
      query: () => Promise.reject(new Error('not asked')),
      interrupt: () => undefined,
      async close() {
        told.push(`close ${projectId}`)
      },
    }
  }
  return { told, open }
}

describe('createEventStores', () => {
  it('opens a store once and closes the least recently used beyond the bound', async () => {
    const { told, open } = recorder()
    const stores = createEventStores(open, 2)
    const use = (projectId: number) => stores.with(projectId, async (store) => store.position().inboxRow)
    for (const projectId of [1, 2, 1, 3]) expect(await use(projectId)).toBe(projectId)
    expect(told).toEqual(['open 1', 'open 2', 'open 3', 'close 2'])
    await stores.close()
    expect(told.slice(4).sort()).toEqual(['close 1', 'close 3'])
  })

  it('does not close a store that is in use', async () => {
    const { told, open } = recorder()
    const stores = createEventStores(open, 1)
    await stores.with(1, () => stores.with(2, async () => expect(told).not.toContain('close 1')))
    await stores.close()
  })

  it('tries again to open what did not open', async () => {
    const { open } = recorder()
    let tries = 0
    const stores = createEventStores(
      (projectId) => (tries++ === 0 ? Promise.reject(new Error('locked')) : open(projectId)),
      1,
    )
    await expect(stores.with(1, async () => undefined)).rejects.toThrow('locked')
    expect(await stores.with(1, async (store) => store.position().inboxRow)).toBe(1)
    await stores.close()
  })

  it('opens no second store on a file whose store did not close', async () => {
    const { told, open } = recorder()
    const stores = createEventStores(
      async (projectId) => ({ ...(await open(projectId)), close: () => Promise.reject(new Error('stuck')) }),
      1,
    )
    await stores.with(1, async () => undefined)
    await stores.reopen(1)
    await expect(stores.with(1, async () => undefined)).rejects.toThrow('stuck')
    await expect(stores.with(1, async () => undefined)).rejects.toThrow('stuck')
    expect(told).toEqual(['open 1'])
  })
})
