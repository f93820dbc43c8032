import type { Handler } from '../../http/route.ts'
import { beginStream } from './begin-stream.ts'
import type { FeedGrant, FeedRequest } from './feed-access.ts'
import { feedRequest, wantsCohorts } from './feed-request.ts'
import { holdsFeed } from './feed.ts'
import type { Streams } from './streams.ts'

type FeedAccess = (request: FeedRequest) => Promise<FeedGrant>

/** Makes the handler that answers the definitions of a project, or 304 to a client that holds them. */
export const answerFeed =
  (access: FeedAccess): Handler =>
  async (request, reply) => {
    const { set } = await access(feedRequest(request, 'poll'))
    const feed = set.feed(wantsCohorts(request))
    reply.header('etag', feed.etag).header('cache-control', 'private, no-cache')
    if (holdsFeed(feed, request.headers['if-none-match'])) return reply.status(304).send()
    return reply.type('application/json').send(feed.body)
  }

/** Makes the handler that opens a stream of them. */
export const answerStream =
  (access: FeedAccess, streams: Streams): Handler =>
  async (request, reply) => {
    const { 'last-event-id': lastEventId } = request.headers
    streams.start({
      ...(await access(feedRequest(request, 'stream'))),
      withCohorts: wantsCohorts(request),
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
      begin: () => beginStream(reply),
    })
    return reply
  }
