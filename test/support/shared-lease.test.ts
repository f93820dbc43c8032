import { leaseContract } from '../contract/lease.ts'
import { sharedLease } from './shared-lease.ts'

leaseContract('one for all tabs of a test', () => {
  const lease = sharedLease()
  return [lease.of({}), lease.of({})]
})
