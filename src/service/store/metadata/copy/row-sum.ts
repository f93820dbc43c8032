import { createHash } from 'node:crypto'
import type { Row } from './read-rows.ts'

/** What is compared of two copies of a table. */
export interface RowSum {
  readonly rows: number
  /** Sum of the rows' hashes, which does not depend on their order: engines sort text differently. */
  readonly hash: string
}

/** Adds up rows. */
export const createRowSum = (): { add(row: Row): void; read(): RowSum } => {
  let rows = 0
  let sum = 0n
  return {
    add(row) {
      const columns = Object.keys(row).sort()
      const text = JSON.stringify(columns.map((column) => [column, row[column]]))
      const hash = createHash('sha256').update(text).digest('hex')
      sum = BigInt.asUintN(256, sum + BigInt(`0x${hash}`))
      rows++
    },
    read: () => ({ rows, hash: sum.toString(16) }),
  }
}
