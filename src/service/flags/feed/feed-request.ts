import type { Request } from '../../http/route.ts'
import type { FeedRequest } from './authorize-feed.ts'

/** Reads the credentials of a request for definitions. */
export const toFeedRequest = ({ caller, headers, ip, query }: Request, kind: FeedRequest['kind']): FeedRequest => ({
  kind,
  authorization: headers.authorization,
  ip,
  caller,
  token: query['token'],
})

/** Whether a request asks for cohorts besides the flags. Clients send the parameter `send_cohorts` without a value. */
export const isRequestingCohorts = ({ query }: Request): boolean =>
  !['false', '0', undefined].includes(query['send_cohorts'])
