import type { KeyValue } from '../../port/key-value.ts'
import { memoryKeyValue } from '../memory/memory-key-value.ts'
import { webStorage } from './web-storage.ts'

/** Texts of this tab alone, kept over reloads (a duplicated tab starts with a copy); in memory where that is refused. */
export const sessionKeyValue = (): KeyValue => webStorage('sessionStorage') ?? memoryKeyValue()
