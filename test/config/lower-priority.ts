import { getPriority, setPriority } from 'node:os'

/**
 * The priority of all tests, in steps of "nice". The service's indexer yields to its front by five steps, down to 19, the lowest that there is.
 * On a busy machine it would get a third of the time of each test process; next to these it gets two thirds.
 */
const NICENESS = 17

// Only a privileged user may raise a priority again.
if (getPriority() < NICENESS) setPriority(NICENESS)
