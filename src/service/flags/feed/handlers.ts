import { noop } from '../../noop.ts'
import { matchesEtag } from '../../http/matches-etag.ts'
import type { Handler } from '../../http/route.ts'
import { MIN_HELD_BYTES } from '../../http/unsent-bytes.ts'
import type { UnsentBytes } from '../../http/unsent-bytes.ts'
import { beginStream } from './begin-stream.ts'
import type { AuthorizedFeed, FeedRequest } from './authorize-feed.ts'
import { toFeedRequest, isRequestingCohorts } from './feed-request.ts'
import type { Streams } from './streams.ts'

type AuthorizeFeed = (request: FeedRequest) => Promise<AuthorizedFeed>

/** Creates the handler that sends the definitions of a project, or 304 to a client that has them already. */
export const createFeedHandler =
  (authorize: AuthorizeFeed): Handler =>
  async (request, reply) => {
    const { set } = await authorize(toFeedRequest(request, 'poll'))
    const feed = set.feed(isRequestingCohorts(request))
    reply.header('etag', feed.etag).header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    if (matchesEtag(request.headers['if-none-match'], feed.etag)) return reply.status(304).send()
    return reply.type('application/json; charset=utf-8').send(feed.body)
  }

/** Creates the handler that opens a stream of definitions. */
export const createStreamHandler =
  (authorize: AuthorizeFeed, streams: Streams, unsentBytes: Pick<UnsentBytes, 'hold'>): Handler =>
  async (request, reply) => {
    const { socket } = request.raw
    const { 'last-event-id': lastEventId } = request.headers
    streams.open({
      ...(await authorize(toFeedRequest(request, 'stream'))),
      withCohorts: isRequestingCohorts(request),
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
      begin: () => beginStream(reply),
      hold: (state) => (state.byteLength < MIN_HELD_BYTES ? noop : unsentBytes.hold(socket, state)),
    })
    return reply
  }
