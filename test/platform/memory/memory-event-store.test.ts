import { expect, it } from 'vitest'
import { memoryEventStore } from '../../../src/platform/memory/memory-event-store.ts'
import { eventStoreContract } from '../../contract/event-store.ts'

eventStoreContract('memory', async () => memoryEventStore())

it('says that it is not durable', () => {
  expect(memoryEventStore().durable).toBe(false)
})
