import type { OperatorFactory } from './operator.ts'
import { equality } from './equality.ts'
import { order } from './order.ts'
import { presence } from './presence.ts'
import { regex } from './regex.ts'
import { text } from './text.ts'

/** Every operator by its name in definitions; one file per family. */
export const operatorTable: ReadonlyMap<string, OperatorFactory> = new Map(
  Object.entries({ ...equality, ...text, ...order, ...presence, ...regex }),
)
