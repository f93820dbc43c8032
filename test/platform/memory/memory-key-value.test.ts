import { createMemoryKeyValue } from '../../../src/platform/memory/memory-key-value.ts'
import { keyValueContract } from '../../contract/key-value.ts'

keyValueContract('memory', createMemoryKeyValue)
