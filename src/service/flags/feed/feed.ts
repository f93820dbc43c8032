import { createHash } from 'node:crypto'
import type { FlagDefinitions } from '../../../wire/definition.ts'

/** A body of the definitions feed, and its name. */
export interface Feed {
  /** JSON in one line. */
  readonly body: string
  /** A strong entity tag (RFC 9110, section 8.8.3): the same for the same bytes, whichever process made them. */
  readonly etag: string
}

/** The feed of one set of definitions, with its cohorts or without. Made when it is first asked for, and then kept. */
export const createFeed = (definitions: FlagDefinitions): ((withCohorts: boolean) => Feed) => {
  const made = new Map<boolean, Feed>()
  return (withCohorts) => {
    const known = made.get(withCohorts)
    if (known) return known
    const body = JSON.stringify({
      ...definitions,
      group_type_mapping: definitions.group_type_mapping ?? {},
      cohorts: (withCohorts && definitions.cohorts) || {},
    })
    const feed = { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
    made.set(withCohorts, feed)
    return feed
  }
}

/** Whether a client that sent this `If-None-Match` holds the feed already (RFC 9110, section 13.1.2: weak comparison). */
export const holdsFeed = ({ etag }: Feed, ifNoneMatch: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
