import { describe } from 'vitest'
import { nodeContexts } from '../../../src/platform/node/contexts.ts'
import { followingContextsContract, requestContextsContract } from '../../contract/request-contexts.ts'

describe('contexts in Node', () => {
  requestContextsContract(nodeContexts)
  followingContextsContract(nodeContexts)
})
