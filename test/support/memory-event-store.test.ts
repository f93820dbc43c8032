import { eventStoreContract } from '../contract/event-store.ts'
import { memoryEventStore } from './memory-event-store.ts'

eventStoreContract('memory', async () => memoryEventStore())
