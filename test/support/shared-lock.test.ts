import { lockContract } from '../contract/lock.ts'
import { createSharedLock } from './shared-lock.ts'

lockContract('the shared lock of a test', () => {
  const lock = createSharedLock()
  return [lock.of({}), lock.of({})]
})
