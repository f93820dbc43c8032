import { createHash } from 'node:crypto'
import type { FlagDefinitions } from '../../../wire/definition.ts'

/** A response body of the definitions feed and its entity tag. All readers share its bytes. */
export interface Feed {
  /** JSON without line breaks. */
  readonly body: Buffer
  /** The same as a server-sent event. */
  readonly message: Buffer
  /** A strong entity tag (RFC 9110, section 8.8.3): equal bytes have equal tags in all processes. */
  readonly etag: string
}

/** Creates the function that returns the feed of some definitions, with or without cohorts. Each feed is built once, when needed. */
export const createFeed = (definitions: FlagDefinitions): ((withCohorts: boolean) => Feed) => {
  const feeds = new Map<boolean, Feed>()
  return (withCohorts) => {
    const cached = feeds.get(withCohorts)
    if (cached) return cached
    const json = JSON.stringify({
      ...definitions,
      group_type_mapping: definitions.group_type_mapping ?? {},
      cohorts: (withCohorts && definitions.cohorts) || {},
    })
    const etag = `"${createHash('sha256').update(json).digest('base64url')}"`
    const start = `id: ${etag}\nevent: definitions\ndata: `
    const end = '\n\n'
    const message = Buffer.from(`${start}${json}${end}`)
    const feed = { body: message.subarray(start.length, -end.length), message, etag }
    feeds.set(withCohorts, feed)
    return feed
  }
}
