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

/** The values of a query parameter, which may be repeated. */
const valuesOf = (given: unknown): readonly unknown[] =>
  given === undefined ? [] : Array.isArray(given) ? given : [given]

/**
 * Makes the function that answers the early access features of the project whose key is `token`, of the stages that are
 * named, or of all. Drafts and archived ones are never in it. Throws `Refusal` (401).
 */
export const createOfferedFeatures =
  ({ metadata, projectOfKey, now }: OfferedFeaturesParts) =>
  async (query: Readonly<Record<string, unknown>>): Promise<OfferedFeatures> => {
    const [token] = valuesOf(query['token'] ?? query['api_key'])
    if (typeof token !== 'string')
      throw unauthenticated('missing_api_key', 'Name the project by its api key: "?token=<key>".', 'token')
    const { id } = await projectOfKey(token, now())
    const stages = valuesOf(query['stage'])
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
