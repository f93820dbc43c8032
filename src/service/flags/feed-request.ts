import type { Request } from '../http/route.ts'
import type { FeedRequest } from './feed-access.ts'

/** Who asks for definitions. */
export const feedRequest = ({ headers, query }: Request): FeedRequest => ({
  authorization: headers.authorization,
  token: query['token'],
})

/** Whether a request wants cohorts beside the flags. Clients write the parameter without a value. */
export const wantsCohorts = ({ query }: Request): boolean => !['false', '0', undefined].includes(query['send_cohorts'])
