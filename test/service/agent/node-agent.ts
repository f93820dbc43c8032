import { onTestFinished } from 'vitest'
import { init } from '../../../src/entry/node.ts'
import type { NodeOptions, OutgoingEvent, Waymark } from '../../../src/entry/node.ts'
import { json } from '../support/shared-service.ts'
import type { SharedService } from '../support/shared-service.ts'

/** An agent that reports to a real service. */
export interface NodeAgent {
  readonly waymark: Waymark
  /** Each event that was dropped, and why. */
  readonly drops: [event: string, reason: string][]
  /** How many requests carried events. */
  readonly requests: () => number
}

/** Starts an agent of a test, which is shut down when the test has ended. */
export const startAgent = (service: SharedService, options: NodeOptions = {}): NodeAgent => {
  const drops: [string, string][] = []
  let requests = 0
  const waymark = init(service.apiKey, {
    host: service.url,
    onDrop: ({ event }: OutgoingEvent, reason) => void drops.push([event, reason]),
    onSend: () => void (requests += 1),
    ...options,
  })
  onTestFinished(() => waymark.shutdown())
  return { waymark, drops, requests: () => requests }
}

/** The events of one user, in the order of their names. */
export const eventsOf = async (service: SharedService, distinctId: string) => {
  const rows = await service.stored(
    `select event, uuid, timestamp, properties from events where distinct_id = '${distinctId}' order by event`,
  )
  return rows.map(([event, uuid, timestamp, properties]) => ({ event, uuid, timestamp, properties: json(properties) }))
}

/** The person behind a distinct id; undefined when there is none. */
export const personOf = async (service: SharedService, distinctId: string) => {
  const [row] = await service.stored(`select p.id, p.properties, p.is_identified from persons p
    join person_distinct_ids d on d.person_id = p.id where d.distinct_id = '${distinctId}'`)
  return row && { id: row[0], properties: json(row[1]), isIdentified: row[2] }
}
