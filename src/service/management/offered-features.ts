import type { JsonObject } from '../../wire/json.ts'
import { listEarlyAccessFeatures } from '../store/metadata/early-access-features.ts'
import type { Stage } from '../store/metadata/early-access-features.ts'
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

/**
 * The early access features of a project, of the stages that are named, or of all. Drafts and archived ones are never in it.
 */
export const offeredFeatures = async (
  metadata: Metadata,
  projectId: number,
  stages: readonly string[],
): Promise<OfferedFeatures> => {
  const offered = (await listEarlyAccessFeatures(metadata, projectId)).filter(
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
