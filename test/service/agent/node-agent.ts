import { onTestFinished } from 'vitest'
import { init } from '../../../src/entry/node.ts'
import type { NodeOptions, OutgoingEvent, Waymark } from '../../../src/entry/node.ts'
import { parseJsonColumn } from '../support/shared-service.ts'
import type { SharedService } from '../support/shared-service.ts'

/** An agent that sends to a real service. */
export interface NodeAgent {
  readonly waymark: Waymark
  /** Each dropped event and the reason. */
  readonly drops: [event: string, reason: string][]
  /** Returns the number of requests with events. */
  readonly requestCount: () => number
}

/** Starts an agent, which is shut down at the end of the test. */
export const startAgent = (service: SharedService, options: NodeOptions = {}): NodeAgent => {
  const drops: [string, string][] = []
  let requestCount = 0
  const waymark = init(service.apiKey, {
    host: service.url,
    onDrop: ({ event }: OutgoingEvent, reason) => void drops.push([event, reason]),
    onSend: () => void (requestCount += 1),
    ...options,
  })
  onTestFinished(() => waymark.shutdown())
  return { waymark, drops, requestCount: () => requestCount }
}

/** Returns the events of one distinct id, ordered by name. */
export const queryEvents = async (service: SharedService, distinctId: string) => {
  const rows = await service.queryStored(
    `select event, uuid, timestamp, properties from events where distinct_id = '${distinctId}' order by event`,
  )
  return rows.map(([event, uuid, timestamp, properties]) => ({
    event,
    uuid,
    timestamp,
    properties: parseJsonColumn(properties),
  }))
}

/** Returns the person of a distinct id; undefined without one. */
export const queryPerson = async (service: SharedService, distinctId: string) => {
  const [row] = await service.queryStored(`select p.id, p.properties, p.is_identified from persons p
    join person_distinct_ids d on d.person_id = p.id where d.distinct_id = '${distinctId}'`)
  return row && { id: row[0], properties: parseJsonColumn(row[1]), isIdentified: row[2] }
}
