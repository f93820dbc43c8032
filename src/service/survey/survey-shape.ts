import type { ObjectShape, ValueShape } from '../fields/field-shape.ts'
import { createIgnored, createSynonyms, listFields } from '../flags/definitions/shape-parts.ts'

const BRANCHING: ObjectShape = {
  fields: listFields('type, index, responseValues'),
  synonyms: createSynonyms({
    index: 'question, question_index, target',
    responseValues: 'responses, values, branches',
  }),
}

const QUESTION: ObjectShape = {
  fields: {
    ...listFields(
      'id, type, question, description, descriptionContentType, optional, buttonText, choices, shuffleOptions, hasOpenChoice',
    ),
    ...listFields('skipSubmitButton, link, display, scale, lowerBoundLabel, upperBoundLabel, translations'),
    branching: BRANCHING,
  },
  isIgnored: createIgnored(
    'isNpsQuestion, validation, questionIndex, nextButtonText, thankYouMessageHeader, thankYouMessageDescription',
  ),
  synonyms: createSynonyms({
    question: 'title, label, prompt',
    choices: 'options, answers',
    hasOpenChoice: 'open_choice, other',
    lowerBoundLabel: 'lower_label, min_label',
    upperBoundLabel: 'upper_label, max_label',
  }),
}

const EVENT: ObjectShape = {
  fields: listFields('name, propertyFilters'),
  isIgnored: createIgnored('id, properties'),
  synonyms: createSynonyms({ name: 'event, event_name' }),
}

const EVENTS: ObjectShape = {
  fields: { repeatedActivation: null, values: { items: EVENT } },
  synonyms: createSynonyms({ values: 'events, items' }),
}

const CONDITIONS: ObjectShape = {
  fields: {
    ...listFields(
      'url, urlMatchType, selector, seenSurveyWaitPeriodInDays, linkedFlagVariant, deviceTypes, deviceTypesMatchType',
    ),
    events: EVENTS,
    cancelEvents: EVENTS,
    // The service passes on actions without interpreting them.
    actions: null,
  },
  isIgnored: createIgnored('is_headless, wait_period, device_type, urlMatchTypes, quickFilterIds'),
  synonyms: createSynonyms({
    urlMatchType: 'match_type, url_match',
    seenSurveyWaitPeriodInDays: 'wait_period_in_days, wait_days, waitPeriod',
    linkedFlagVariant: 'variant, flag_variant',
    url: 'urls, page, path',
    deviceTypes: 'devices',
  }),
}

/** The fields of a survey. How it looks is for clients alone, so `appearance` may have any. */
export const SURVEY_SHAPE: ValueShape = {
  fields: {
    ...listFields(
      'name, description, type, appearance, archived, start_date, end_date, linked_flag_id, targeting_flag_id',
    ),
    ...listFields(
      'internal_targeting_flag_id, schedule, iteration_count, iteration_frequency_days, enable_partial_responses',
    ),
    ...listFields('translations, version, created_at, updated_at'),
    questions: { items: QUESTION },
    conditions: CONDITIONS,
  },
  isIgnored: createIgnored(
    // Of the protocol and read-only, or without an effect here.
    'id, warnings, created_by, linked_flag, targeting_flag, internal_targeting_flag, targeting_flag_filters, remove_targeting_flag',
    'linked_insight, linked_insight_id, responses_limit, feature_flag_keys, linked_flag_key, targeting_flag_key, internal_targeting_flag_key',
    'iteration_start_dates, current_iteration, current_iteration_start_date, response_sampling_start_date, response_sampling_limit',
    'response_sampling_interval_type, response_sampling_interval, response_sampling_daily_limits, enable_iframe_embedding, tags',
    'user_access_level, form_content, base_language, headline_summary, headline_response_count, _create_in_folder, users_count, team_id',
  ),
  synonyms: createSynonyms({
    linked_flag_id: 'flag, flag_id, feature_flag, feature_flag_id, linked_feature_flag_id',
    start_date: 'start, starts_at, start_at, launch_date',
    end_date: 'end, ends_at, end_at, stop_date',
    conditions: 'display_conditions, targeting, rules, filters',
    'conditions.url': 'url',
    'conditions.urlMatchType': 'url_match_type',
    'conditions.selector': 'selector',
    'conditions.events': 'events',
    iteration_count: 'iterations, repetitions',
    iteration_frequency_days: 'frequency, frequency_days',
  }),
}
