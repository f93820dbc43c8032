import { hash } from 'node:crypto'

/** What is compared of the events of a UTC day in two stores. */
export interface DaySum {
  readonly count: number
  /** Sum of the events' hashes, of 64 bits, which does not depend on their order. */
  readonly hash: bigint
}

/** Days since 1970 to their sums. */
export type EventSums = ReadonlyMap<number, DaySum>

/** An event as its hash has it. Its SQL is in `clickhouse/sum-events.ts`. */
export interface HashedEvent {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** Milliseconds since 1970. */
  readonly timestamp: number
  readonly receivedAt: number
  readonly isHistorical: boolean
  /** As JSON. */
  readonly properties: string
}

const DAY_MS = 86_400_000

/** Adds up events. */
export const createEventSums = (): { add(event: HashedEvent): void; read(): EventSums } => {
  const sums = new Map<number, { count: number; hash: bigint }>()
  return {
    add({ uuid, event, distinctId, timestamp, receivedAt, isHistorical, properties }) {
      const day = Math.trunc(timestamp / DAY_MS)
      let sum = sums.get(day)
      if (sum === undefined) sums.set(day, (sum = { count: 0, hash: 0n }))
      const fields = [uuid, event, distinctId, timestamp, receivedAt, isHistorical ? 1 : 0, properties]
      sum.count += 1
      sum.hash = BigInt.asUintN(64, sum.hash + hash('sha256', fields.join('\0'), 'buffer').readBigUInt64LE())
    },
    read: () => sums,
  }
}

/** A sentence about what differs in a copy; null if nothing does. */
export const describeDifference = (original: EventSums, copy: EventSums): string | null => {
  const days = [...new Set([...original.keys(), ...copy.keys()])].sort((a, b) => a - b)
  const different = days.filter((day) => {
    const [one, other] = [original.get(day), copy.get(day)]
    return one?.count !== other?.count || one?.hash !== other?.hash
  })
  const [first] = different
  if (first === undefined) return null
  const [expected, found] = [original.get(first)?.count ?? 0, copy.get(first)?.count ?? 0]
  const date = new Date(first * DAY_MS).toISOString().slice(0, 10)
  const values = expected === found ? ', but other values' : ''
  return `${different.length} of ${days.length} days differ: of ${date}, the copy has ${found} events instead of ${expected}${values}`
}
