import { createHash } from 'node:crypto'
import type { FlagDefinitions } from '../../../wire/definition.ts'

/** A response body of the definitions feed and its entity tag. */
export interface Feed {
  /** JSON without line breaks. */
  readonly body: string
  /** A strong entity tag (RFC 9110, section 8.8.3): equal bytes have equal tags in all processes. */
  readonly etag: string
}

/** Creates the function that returns the feed of some definitions, with or without cohorts. Each feed is built once, when needed. */
export const createFeed = (definitions: FlagDefinitions): ((withCohorts: boolean) => Feed) => {
  const feeds = new Map<boolean, Feed>()
  return (withCohorts) => {
    const cached = feeds.get(withCohorts)
    if (cached) return cached
    const body = JSON.stringify({
      ...definitions,
      group_type_mapping: definitions.group_type_mapping ?? {},
      cohorts: (withCohorts && definitions.cohorts) || {},
    })
    const feed = { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
    feeds.set(withCohorts, feed)
    return feed
  }
}
