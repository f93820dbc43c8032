import type { JsonObject } from '../../wire/json.ts'
import type { ProjectOfKey } from '../auth/project-keys.ts'
import { unauthenticated } from '../refusal.ts'
import { listEarlyAccessFeatures, type Stage } from '../store/metadata/early-access-features.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** Body of `GET /api/early_access_features/`: what people can enrol in, for everyone to see. */
export interface OfferedFeatures {
  readonly earlyAccessFeatures: readonly OfferedFeature[]
}

export interface OfferedFeature {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly stage: Stage
  /** Empty for none. */
  readonly documentationUrl: string
  readonly payload: JsonObject
  /** Enrolling sets the person property `$feature_enrollment/<key>`. */
  readonly flagKey: string
}

/** Stages that are nobody's business yet, or no longer. */
const HIDDEN: ReadonlySet<Stage> = new Set(['draft', 'archived'])

/** What the route needs. */
export interface OfferedFeaturesParts {
  readonly metadata: Metadata
  readonly projectOfKey: ProjectOfKey
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Who asks, and for what. */
export interface OfferedFeaturesRequest {
  /** The project api key. */
  readonly token: string | undefined
  /** Only features at one of these; none means all. */
  readonly stages: readonly string[]
}

/**
 * Makes the function that answers the early access features of the project whose key is `token`, of the stages that are
 * named, or of all. Drafts and archived ones are never in it. Throws `Refusal` (401).
 */
export const createOfferedFeatures =
  ({ metadata, projectOfKey, now }: OfferedFeaturesParts) =>
  async ({ token, stages }: OfferedFeaturesRequest): Promise<OfferedFeatures> => {
    if (token === undefined)
      throw unauthenticated('missing_api_key', 'Name the project by its api key: "?token=<key>".', 'token')
    const { id } = await projectOfKey(token, now())
    const offered = (await listEarlyAccessFeatures(metadata, id)).filter(
      ({ stage }) => !HIDDEN.has(stage) && (stages.length === 0 || stages.includes(stage)),
    )
    return {
      earlyAccessFeatures: offered.map(
        ({ id, name, description, stage, documentationUrl, payload, flagKey }): OfferedFeature => ({
          id,
          name,
          description,
          stage,
          documentationUrl,
          payload,
          flagKey,
        }),
      ),
    }
  }
