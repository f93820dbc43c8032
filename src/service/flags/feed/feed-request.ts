import type { Request } from '../../http/route.ts'
import type { FeedRequest } from './feed-access.ts'

/** Who asks for definitions, once or as a stream. */
export const feedRequest = ({ headers, query }: Request, kind: FeedRequest['kind']): FeedRequest => ({
  kind,
  authorization: headers.authorization,
  token: query['token'],
})

/** Whether a request wants cohorts beside the flags. Clients write the parameter without a value. */
export const wantsCohorts = ({ query }: Request): boolean => !['false', '0', undefined].includes(query['send_cohorts'])
