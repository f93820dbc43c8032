import type { Authenticate } from '../../auth/authenticate.ts'
import type { Caller } from '../../auth/caller.ts'
import { CURRENT, findProjectAccess, listProjectAccess, requireScope } from '../../auth/project-access.ts'
import { PERSONAL_KEY_MISPLACED, readKeyForm } from '../../auth/key-form.ts'
import type { CountWrongKey } from '../../auth/wrong-keys.ts'
import { createRateLimiter } from '../../auth/rate-limiter.ts'
import { readCallerAgain } from '../../auth/read-caller.ts'
import type { ShareCounts } from '../../auth/share-counts.ts'
import { HttpError, notFound } from '../../http-error.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import type { Project } from '../../store/metadata/projects.ts'
import type { FlagSet, FlagSets } from '../definitions/flag-sets.ts'

/** The protocol's limit for readers of definitions: requests per project and minute. */
const MAX_POLLS_PER_MINUTE = 600
/** Streams opened per project and minute: twice the number of open streams, for when a service restarts. */
const MAX_STREAMS_PER_MINUTE = 2000
const MINUTE_MS = 60_000
/** The scope that readers of definitions need. */
const SCOPE = 'feature_flag:read'

/** The credentials in a request for definitions. */
export interface FeedRequest {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  readonly ip: string
  /** The caller, when a hook has authenticated the request already. */
  readonly caller: Caller | null
  /** Whether the request is for the definitions or for a stream of them. Each kind has its own rate limit. */
  readonly kind: 'poll' | 'stream'
  /** The project API key in the query. Old clients leave it out, which means the project that is `@current` for the personal API key. */
  readonly token: string | undefined
}

/** The definitions that a request is allowed to read. */
export interface AuthorizedFeed extends FeedAccess {
  readonly set: FlagSet
}

/** Why a reader may read the definitions of a project, which can end while it reads a stream. */
export interface FeedAccess {
  readonly projectId: number
  readonly keyId: number
  /** Reads again what allows it: rejects with `HttpError` when the key, its user or the project no longer do. */
  readonly checkAgain: () => Promise<void>
}

export interface AuthorizeFeedOptions {
  readonly metadata: Metadata
  readonly authenticate: Authenticate
  readonly countWrongKey: CountWrongKey
  readonly flagSets: FlagSets
  /** Default: the limits are of this process. */
  readonly shareCounts?: ShareCounts | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Creates the function that checks a request and returns its definitions. It throws `HttpError`: 401 for a missing, unknown or
 * expired personal API key, 404 for a token without a project that the key may see, 403 when the key lacks `feature_flag:read`,
 * 402 while the flag quota is used up, 429 above 600 requests (2,000 for streams) per project and minute, and for an IP address
 * that sent too many wrong keys.
 */
export const createAuthorizeFeed = ({
  metadata,
  authenticate,
  countWrongKey,
  flagSets,
  shareCounts,
  now,
}: AuthorizeFeedOptions): ((request: FeedRequest) => Promise<AuthorizedFeed>) => {
  const limits = {
    poll: createRateLimiter({
      maxRequests: MAX_POLLS_PER_MINUTE,
      windowMs: MINUTE_MS,
      shared: shareCounts?.('polls of a project'),
    }),
    stream: createRateLimiter({
      maxRequests: MAX_STREAMS_PER_MINUTE,
      windowMs: MINUTE_MS,
      shared: shareCounts?.('streams of a project'),
    }),
  }
  const findProject = async (caller: Caller, token: string | undefined, ip: string): Promise<Project> => {
    if (token === undefined) return (await findProjectAccess(metadata, caller, CURRENT)).project
    const access = (await listProjectAccess(metadata, caller)).find(({ project }) => project.apiKey === token)
    if (access) return access.project
    countWrongKey(ip, now())
    throw notFound(
      readKeyForm(token) === 'personal'
        ? PERSONAL_KEY_MISPLACED
        : 'There is no project with this "token" that this personal API key may see.',
      'token',
    )
  }
  return async ({ authorization, ip, caller: authenticated, kind, token }) => {
    const caller = authenticated ?? (await authenticate({ authorization, ip }))
    const { id: projectId } = await findProject(caller, token, ip)
    requireScope(caller.key, SCOPE)
    limits[kind](projectId, now())
    const set = await flagSets.get(projectId)
    if (set.isPaused) {
      throw new HttpError(402, {
        type: 'quota_limited',
        code: 'payment_required',
        detail:
          'The feature flag quota of this project is used up, so flags are paused. "waymark-service flag resume" resumes them.',
        attr: null,
      })
    }
    const checkAgain = async (): Promise<void> => {
      const current = await readCallerAgain(metadata, caller, now())
      await findProjectAccess(metadata, current, String(projectId))
      requireScope(current.key, SCOPE)
    }
    return { projectId, set, keyId: caller.key.id, checkAgain }
  }
}
