import { createMemoryLock } from '../../../src/platform/memory/memory-lock.ts'
import { lockContract } from '../../contract/lock.ts'

lockContract('memory', () => {
  const lock = createMemoryLock()
  return [lock, lock]
})
