import { personalKeyOf, requireScope } from '../../auth/personal-key.ts'
import { createRateLimit } from '../../auth/rate-limit.ts'
import { forbidden, Refusal } from '../../refusal.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import { projectByApiKey } from '../../store/metadata/projects.ts'
import type { FlagSet, FlagSets } from '../definitions/flag-sets.ts'

/** The protocol's bound on readers of definitions: requests per project in a minute (flags.md 1.4). */
const MOST_REQUESTS = 600
/** Streams that are opened per project in a minute: all that there may be, twice, as when a service is started again. */
const MOST_OPENED = 2000
const MINUTE_MS = 60_000

/** Who asks for definitions, as the request says. */
export interface FeedRequest {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** What is asked for: the definitions once, or a stream of them. Each is counted by itself. */
  readonly kind: 'poll' | 'stream'
  /** The project api key in the query. Only old clients leave it out: the personal key names its project, too. */
  readonly token: string | undefined
}

/** The definitions that a request may see. */
export interface FeedGrant {
  readonly projectId: number
  readonly set: FlagSet
}

export interface FeedAccessParts {
  readonly metadata: Metadata
  readonly flagSets: FlagSets
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Makes the function that finds the definitions for a request. It throws `Refusal`: 401 without a personal api key, 403
 * when the key lacks `feature_flag:read` or is another project's, 429 above 600 requests (2,000 for streams) a minute and
 * project, 402 while the flag quota is used up.
 */
export const createFeedAccess = ({
  metadata,
  flagSets,
  now,
}: FeedAccessParts): ((request: FeedRequest) => Promise<FeedGrant>) => {
  const limits = { poll: createRateLimit(MOST_REQUESTS, MINUTE_MS), stream: createRateLimit(MOST_OPENED, MINUTE_MS) }
  return async ({ authorization, kind, token }) => {
    const key = await personalKeyOf(metadata, authorization)
    if (token !== undefined && (await projectByApiKey(metadata, token))?.id !== key.projectId) {
      throw forbidden('permission_denied', 'This personal api key is not for the project of "token".', 'token')
    }
    requireScope(key, 'feature_flag:read')
    limits[kind](key.projectId, now())
    const set = await flagSets.of(key.projectId)
    if (set.isPaused) {
      throw new Refusal(402, {
        type: 'quota_limited',
        code: 'payment_required',
        detail: 'The feature flag quota of this project is used up; flags are paused.',
        attr: null,
      })
    }
    return { projectId: key.projectId, set }
  }
}
