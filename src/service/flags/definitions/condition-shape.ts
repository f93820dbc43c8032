import type { ObjectShape, ValueShape } from '../../fields/field-shape.ts'
import { createIgnored, createSynonyms, listFields } from './shape-parts.ts'

/** A condition on a property, a cohort or a flag: of a flag or a cohort. */
export const CONDITION_SHAPE: ObjectShape = {
  fields: listFields('key, type, value, operator, negation, group_type_index'),
  isIgnored: createIgnored(
    'dependency_chain, label, cohort_name, group_key_names, bytecode, conditionHash, event_type, time_value, time_interval',
    'seq_event, seq_event_type, seq_time_value, seq_time_interval, explicit_datetime, explicit_datetime_to, event_filters',
    'total_periods, min_periods, operator_value, sort_key',
  ),
  synonyms: createSynonyms({
    key: 'property, property_key, property_name, field, attribute, flag, flag_key',
    operator: 'op, comparator, comparison, match_type, match, condition',
    value: 'expected, cohort, cohort_id',
    negation: 'negate, negated, is_negated, not, invert, inverted, inverse',
    type: 'kind, property_type',
    group_type_index: 'group_type',
  }),
}

const CONDITIONS = 'conditions, rules, filters, properties, items'

/** A group of entries. */
const GROUP: ObjectShape = {
  fields: {
    type: null,
    values: { items: { choose: (entry) => (isCondition(entry) ? CONDITION_SHAPE : GROUP) } },
  },
  isIgnored: (name, { negation }) => name === 'id' || name === 'sort_key' || (name === 'negation' && negation !== true),
  synonyms: createSynonyms({
    type: 'operator, op, logic, combinator, match',
    values: CONDITIONS,
    // Groups are not inverted.
    'values[0].negation': 'negation, negate, negated, not, inverted',
  }),
}

const isCondition = (entry: object): boolean => 'key' in entry && !('values' in entry)

/** The fields of a cohort's tree of conditions. */
export const COHORT_TREE_SHAPE: ValueShape = GROUP

const FILTERS: ObjectShape = {
  fields: { properties: COHORT_TREE_SHAPE },
  synonyms: createSynonyms({ properties: 'values, groups, conditions, rules, filters' }),
}

/** The fields of a cohort. */
export const COHORT_SHAPE: ValueShape = {
  fields: {
    ...listFields('name, description, deleted, is_static, version, created_at, updated_at'),
    filters: FILTERS,
  },
  isIgnored: createIgnored(
    // Of the protocol and read-only, or without an effect here.
    'id, warnings, created_by, last_modified_by, groups, query, count, is_calculating, last_calculation, last_error_at, errors_calculating',
    'cohort_type, experiment_set, pending_version, last_calculation_duration_ms, condition_type, last_backfill_person_properties_at',
    'last_error_message, user_access_level, tags, csv, _create_in_folder, _create_static_person_ids',
  ),
  synonyms: createSynonyms({
    'filters.properties': 'properties, conditions, rules, values',
    is_static: 'static',
  }),
}
