import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import type { StoreUnderTest } from '../service-event-store.ts'
import { openForSuite } from './open-for-suite.ts'
import { storeWorld, worldEvent } from './world.ts'

/** The number of persons whose properties a store reads at most. */
const MAX_PERSONS = 10_000

/** Tests that every event store must pass. */
export const namesContract = (create: () => StoreUnderTest): void => {
  describe('names of properties', () => {
    const getStore = openForSuite(create)

    it('are those of the newest persons and groups', async () => {
      const timestamp = Date.UTC(2020, 0, 1)
      await storeWorld(
        getStore(),
        Array.from({ length: MAX_PERSONS + 1 }, (_, index) => {
          // Neither the first nor the last one that is stored is the newest.
          const properties: JsonObject = index === MAX_PERSONS / 2 ? { newest: true } : index === 0 ? { oldest: 1 } : {}
          const createdAt = index === MAX_PERSONS / 2 ? timestamp + MAX_PERSONS + 1 : timestamp + index
          return worldEvent({ distinctId: `person ${index}`, timestamp, person: { properties, createdAt } })
        }),
      )
      expect(await getStore().propertyNames({ owner: { of: 'person' }, timeoutMs: 10_000 })).toEqual([
        { name: 'newest', type: 'boolean' },
      ])
    })

    it('are none without persons and groups', async () => {
      expect(await getStore().propertyNames({ owner: { of: 'group', type: 'company' }, timeoutMs: 10_000 })).toEqual([])
    })
  })
}
