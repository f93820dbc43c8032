import { serialise } from '../serialise.ts'
import type { CommonProperties } from './common-properties.ts'
import { flatMembers, quoted } from './flat-members.ts'

/** What an event has beside its properties. */
export interface EventHead {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly timestamp: string
}

/**
 * An event's JSON, put together from the text of what it has in common with others and its own properties: that takes a third of the time that
 * writing the whole object does.
 *
 * @param own Its own properties; they may be the caller's object.
 * @returns Undefined when the object has to be written as a whole: one of its own stands in the place of a common one, or its JSON is not that
 *   of its properties.
 */
export const eventText = (head: EventHead, own: object, common: CommonProperties): string | undefined => {
  const prototype: unknown = Object.getPrototypeOf(own)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  for (const key in own) if (key in common.properties || key === 'toJSON') return undefined
  const id = quoted(head.distinct_id)
  const members = flatMembers(own) ?? serialise(own).slice(1, -1)
  const text = `{"uuid":"${head.uuid}","event":${quoted(head.event)},"distinct_id":${id},"timestamp":"${head.timestamp}","properties":{"distinct_id":${id}${after(common.text)}${after(members)}}}`
  // V8 keeps a text that was put together as a tree of its parts, in thrice its memory, until somebody reads it: this does, and always finds a brace.
  return text.startsWith('{') ? text : undefined
}

const after = (members: string): string => members && `,${members}`
