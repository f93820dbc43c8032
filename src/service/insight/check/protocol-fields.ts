/**
 * Fields that queries of the protocol may have and that are ignored here: they change how clients show an answer, or how another
 * service computes it. They are no misspelling of a field of ours, however close. Those that would change numbers are refused
 * (`findUnappliedField`).
 */
export const PROTOCOL_FIELDS: ReadonlySet<string> = new Set([
  // All nodes.
  'response', 'modifiers', 'tags', 'version', 'meta', 'dataColorTheme', 'samplingFactor', 'aggregation_group_type_index', 'explain', 'name',
  // Events and their filters.
  'id', 'order', 'uuid', 'limit', 'orderBy', 'groupBy', 'nodes', 'table_name', 'id_field', 'distinct_id_field', 'timestamp_field', 'dw_source_type',
  'aggregation_target_field', 'created_at_field', 'math_hogql', 'math_multiplier', 'math_property_revenue_currency', 'optionalInFunnel',
  'label', 'cohort_name', 'group_key_names', 'bytecode', 'conditionHash', 'dependency_chain', 'event_type', 'time_value', 'time_interval',
  'seq_event', 'seq_event_type', 'explicit_datetime', 'hidden', 'disabled', 'readonly', 'hogql', 'sourceTable', 'sourceKind',
  // Dates, breakdowns, comparisons.
  'explicitDate', 'breakdown_path_cleaning', 'breakdown_sorting', 'breakdown_value', 'breakdownFilter', 'compareFilter',
  'breakdown_normalize_url', 'breakdown_group_type_index', 'breakdown_histogram_bin_count',
  // How trends, lifecycles and stickiness are shown.
  'display', 'decimalPlaces', 'minDecimalPlaces', 'aggregationAxisFormat', 'aggregationAxisPrefix', 'aggregationAxisPostfix', 'yAxisScaleType',
  'showLegend', 'legendPosition', 'showLabelsOnSeries', 'showValuesOnSeries', 'showPercentStackView', 'showPercentagesOnSeries', 'showMultipleYAxes',
  'showAlertThresholdLines', 'showConfidenceIntervals', 'confidenceLevel', 'showTrendLines', 'showMovingAverage', 'movingAverageIntervals',
  'showAnnotations', 'hiddenLegendKeys', 'hiddenLegendIndexes', 'goalLines', 'detailedResultsAggregationType', 'resultCustomizations',
  'resultCustomizationBy', 'excludeBoxPlotOutliers', 'hideWeekends', 'stacked', 'toggledLifecycles', 'custom_name', 'formulaNodes',
  'breakdownSorting', 'useSmoothedLines',
  // Funnels.
  'layout', 'funnelStepReference', 'hiddenLegendBreakdowns', 'hideIncompleteConversionWindowPeriods', 'funnelAggregateByHogQL',
  'funnelCustomSteps', 'funnelCorrelationPersonEntity', 'funnelCorrelationPersonConverted', 'funnelStepBreakdown', 'includeRecordings',
  'includePrecedingTimestamp', 'includeFinalMatchingEvents',
  // Retention.
  'meanRetentionCalculation', 'dashboardDisplay', 'selectedInterval', 'cohortLabelStartIndex', 'customAggregationTarget', 'timeWindowMode',
  'retentionCustomBrackets', 'aggregationType', 'aggregationProperty', 'aggregationPropertyType',
  // Paths.
  'localPathCleaningFilters', 'showFullUrls', 'pathsHogQLExpression', 'pathStartKey', 'pathEndKey', 'pathDropoffKey',
  // Actors, events and SQL.
  'fixedProperties', 'actionId', 'personId', 'source', 'where', 'filters', 'variables', 'connectionId', 'sendRawQuery', 'offset',
  // Playlists and dashboards.
  'order_direction', 'session_ids', 'live_mode', 'comment_text', 'snapshot_source', 'operand', 'having_predicates',
]) // prettier-ignore
