import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { ObjectShape, ValueShape } from '../../fields/field-shape.ts'
import { createIgnored, createSynonyms, listFields } from './shape-parts.ts'
import { CONDITION_SHAPE } from './condition-shape.ts'

/** What authors call the share of persons. */
const SHARE =
  'percentage, percent, pct, rollout, rollout_percent, rollout_pct, rolloutRate, share, weight, traffic, ratio'
const CONDITIONS = 'conditions, rules, segments, targeting, release_conditions, targeting_rules'
const FIRST_GROUP = 'filters.groups[0]'

const GROUP: ObjectShape = {
  fields: {
    ...listFields('rollout_percentage, variant, aggregation_group_type_index'),
    properties: { items: CONDITION_SHAPE },
  },
  isIgnored: createIgnored('users_affected, sort_key, description'),
  synonyms: createSynonyms({
    rollout_percentage: SHARE,
    properties: `filters, property_filters, values, ${CONDITIONS}`,
    // A condition that is not in a list would be no condition.
    'properties[0].key': 'key, property',
    'properties[0].value': 'value',
    'properties[0].operator': 'operator',
    variant: 'variation, variant_key, variant_override',
    aggregation_group_type_index: 'group_type_index',
    'filters.payloads': 'payload, payloads',
  }),
}

const VARIANT: ObjectShape = {
  fields: listFields('key, name, rollout_percentage'),
  synonyms: createSynonyms({
    rollout_percentage: `${SHARE}, split, allocation`,
    'filters.payloads': 'payload, payloads, attachment',
  }),
}

const MULTIVARIATE: ObjectShape = {
  fields: { variants: { items: VARIANT } },
  synonyms: createSynonyms({ variants: 'variations, options, choices, values' }),
}

const HOLDOUT: ObjectShape = {
  fields: listFields('id, exclusion_percentage'),
  synonyms: createSynonyms({ exclusion_percentage: `rollout_percentage, exclusion, excluded, ${SHARE}` }),
}

const FILTERS: ObjectShape = {
  fields: {
    ...listFields('payloads, aggregation_group_type_index, bucketing_identifier, early_exit, feature_enrollment'),
    // Its own check refuses it unless it is empty.
    super_groups: null,
    groups: { items: GROUP },
    multivariate: MULTIVARIATE,
    holdout: HOLDOUT,
  },
  isIgnored: createIgnored('holdout_groups'),
  synonyms: createSynonyms({
    groups: CONDITIONS,
    [`${FIRST_GROUP}.properties`]: 'properties, filters, property_filters',
    [`${FIRST_GROUP}.rollout_percentage`]: `rollout_percentage, ${SHARE}`,
    [`${FIRST_GROUP}.variant`]: 'variant, variation',
    'filters.multivariate.variants': 'variants, variations',
    aggregation_group_type_index: 'group_type_index',
    feature_enrollment: 'enrollment, enrolment, early_access',
    active: 'active, enabled',
  }),
}

const isIgnoredInFlag = createIgnored(
  // Of the protocol and read-only, or without an effect here.
  'id, warnings, team, team_id, created_by, last_modified_by, last_called_at, status, archived, can_edit, user_access_level, tags, is_simple_flag',
  'experiment_set, experiment_set_metadata, surveys, features, usage_dashboard, analytics_dashboards, has_enriched_analytics',
  'rollback_conditions, performed_rollback, creation_context, is_remote_configuration, has_encrypted_payloads, original_flag',
  'is_used_in_replay_settings, search_term, _create_in_folder, _should_create_usage_dashboard, dependency_chain',
)

/** Whether a body was read from a service: authors do not write these fields. */
const isAnswer = (flag: JsonObject): boolean => 'created_by' in flag || 'is_simple_flag' in flag

/**
 * Other services of the protocol answer with a `rollout_percentage` of the whole flag, which they derive from its conditions and which cannot be
 * set. Where the conditions have another one, the author means to set it, unless the body is an answer that was changed.
 */
const agreesWithGroups = (flag: JsonObject): boolean => {
  const { rollout_percentage: share, filters } = flag
  if (share === null || isAnswer(flag)) return true
  const groups: Json | undefined = isRecord(filters) ? filters['groups'] : undefined
  return (
    Array.isArray(groups) &&
    groups.some((group: Json) => isRecord(group) && (group['rollout_percentage'] ?? 100) === share)
  )
}

/** The fields of a feature flag. */
export const FLAG_SHAPE: ValueShape = {
  fields: {
    ...listFields(
      'key, name, active, deleted, version, created_at, updated_at, has_experiment, ensure_experience_continuity',
    ),
    ...listFields('bucketing_identifier, evaluation_runtime, evaluation_contexts, evaluation_tags'),
    filters: FILTERS,
  },
  isIgnored: (name, flag) => isIgnoredInFlag(name, flag) || (name === 'rollout_percentage' && agreesWithGroups(flag)),
  synonyms: createSynonyms({
    active: 'enabled, disabled, is_enabled, is_disabled, is_active, inactive, on, off',
    [`${FIRST_GROUP}.rollout_percentage`]: `rollout_percentage, ${SHARE}`,
    [`${FIRST_GROUP}.properties`]: 'properties, property_filters',
    'filters.groups': `groups, ${CONDITIONS}`,
    'filters.multivariate': 'multivariate',
    'filters.multivariate.variants': 'variants, variations',
    'filters.payloads': 'payload, payloads',
    'filters.aggregation_group_type_index': 'aggregation_group_type_index, group_type_index',
    'filters.holdout': 'holdout',
    'filters.early_exit': 'early_exit',
    'filters.feature_enrollment': 'feature_enrollment',
    ensure_experience_continuity: 'experience_continuity, persist_across_authentication',
    evaluation_runtime: 'runtime',
    evaluation_contexts: 'contexts, evaluation_environments, environments',
  }),
}
