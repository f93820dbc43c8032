import type { JsonObject } from '../../wire/json.ts'
import { listEarlyAccessFeatures } from '../store/metadata/early-access-features.ts'
import type { Stage } from '../store/metadata/early-access-features.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** Body of `GET /api/early_access_features/`: the features that people can enrol in. It is public. */
export interface OfferedFeatures {
  readonly earlyAccessFeatures: readonly OfferedFeature[]
}

export interface OfferedFeature {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly stage: Stage
  /** Empty without documentation. */
  readonly documentationUrl: string
  readonly payload: JsonObject
  /** Enrolling sets the person property `$feature_enrollment/<key>`. */
  readonly flagKey: string
}

/** Stages of features that are not public. */
const HIDDEN_STAGES: ReadonlySet<Stage> = new Set(['draft', 'archived'])

/** Lists the early access features of a project in the given stages, or in all stages. Drafts and archived ones are never listed. */
export const listOfferedFeatures = async (
  metadata: Metadata,
  projectId: number,
  stages: readonly string[],
): Promise<OfferedFeatures> => {
  const offered = (await listEarlyAccessFeatures(metadata, projectId)).filter(
    ({ stage }) => !HIDDEN_STAGES.has(stage) && (stages.length === 0 || stages.includes(stage)),
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
