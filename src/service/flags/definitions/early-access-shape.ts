import type { ValueShape } from '../../fields/field-shape.ts'
import { createIgnored, createSynonyms, listFields } from './shape-parts.ts'

/** The fields of an early access feature. */
export const EARLY_ACCESS_SHAPE: ValueShape = {
  fields: listFields('name, description, stage, documentation_url, payload, feature_flag_id, version, created_at'),
  // Of the protocol and read-only, or without an effect here.
  isIgnored: createIgnored('id, warnings, feature_flag, updated_at, created_by, user_access_level, _create_in_folder'),
  synonyms: createSynonyms({
    feature_flag_id: 'flag, flag_id, flag_key, linked_flag_id, feature_flag_key',
    stage: 'status, phase',
    documentation_url: 'documentation, docs, docs_url, url',
    payload: 'data, metadata',
  }),
}
