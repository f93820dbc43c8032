CREATE TABLE IF NOT EXISTS owner (
    project_uuid String
  ) ENGINE = ReplacingMergeTree ORDER BY project_uuid;

CREATE TABLE IF NOT EXISTS stored_events (
    uuid UUID,
    uuid_hour UInt32 CODEC(Delta, ZSTD(1)),
    event LowCardinality(String),
    distinct_id String CODEC(ZSTD(1)),
    origin_id UUID CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    historical Bool,
    properties String CODEC(ZSTD(3)),
    version UInt64 CODEC(Delta, ZSTD(1)),
    `$current_url` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$current_url') = 'String', JSONExtractString(properties, '$current_url'), JSONType(properties, '$current_url') = 'Null', NULL, JSONType(properties, '$current_url') = 'Double' AND match(JSONExtractRaw(properties, '$current_url'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$current_url'), 0)), JSONExtractRaw(properties, '$current_url')), JSONExtractRaw(properties, '$current_url')) CODEC(ZSTD(1)),
    `$pathname` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$pathname') = 'String', JSONExtractString(properties, '$pathname'), JSONType(properties, '$pathname') = 'Null', NULL, JSONType(properties, '$pathname') = 'Double' AND match(JSONExtractRaw(properties, '$pathname'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$pathname'), 0)), JSONExtractRaw(properties, '$pathname')), JSONExtractRaw(properties, '$pathname')) CODEC(ZSTD(1)),
    `$host` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$host') = 'String', JSONExtractString(properties, '$host'), JSONType(properties, '$host') = 'Null', NULL, JSONType(properties, '$host') = 'Double' AND match(JSONExtractRaw(properties, '$host'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$host'), 0)), JSONExtractRaw(properties, '$host')), JSONExtractRaw(properties, '$host')) CODEC(ZSTD(1)),
    `$browser` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$browser') = 'String', JSONExtractString(properties, '$browser'), JSONType(properties, '$browser') = 'Null', NULL, JSONType(properties, '$browser') = 'Double' AND match(JSONExtractRaw(properties, '$browser'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$browser'), 0)), JSONExtractRaw(properties, '$browser')), JSONExtractRaw(properties, '$browser')) CODEC(ZSTD(1)),
    `$browser_version` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$browser_version') = 'String', JSONExtractString(properties, '$browser_version'), JSONType(properties, '$browser_version') = 'Null', NULL, JSONType(properties, '$browser_version') = 'Double' AND match(JSONExtractRaw(properties, '$browser_version'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$browser_version'), 0)), JSONExtractRaw(properties, '$browser_version')), JSONExtractRaw(properties, '$browser_version')) CODEC(ZSTD(1)),
    `$os` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$os') = 'String', JSONExtractString(properties, '$os'), JSONType(properties, '$os') = 'Null', NULL, JSONType(properties, '$os') = 'Double' AND match(JSONExtractRaw(properties, '$os'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$os'), 0)), JSONExtractRaw(properties, '$os')), JSONExtractRaw(properties, '$os')) CODEC(ZSTD(1)),
    `$os_version` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$os_version') = 'String', JSONExtractString(properties, '$os_version'), JSONType(properties, '$os_version') = 'Null', NULL, JSONType(properties, '$os_version') = 'Double' AND match(JSONExtractRaw(properties, '$os_version'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$os_version'), 0)), JSONExtractRaw(properties, '$os_version')), JSONExtractRaw(properties, '$os_version')) CODEC(ZSTD(1)),
    `$device_type` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$device_type') = 'String', JSONExtractString(properties, '$device_type'), JSONType(properties, '$device_type') = 'Null', NULL, JSONType(properties, '$device_type') = 'Double' AND match(JSONExtractRaw(properties, '$device_type'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$device_type'), 0)), JSONExtractRaw(properties, '$device_type')), JSONExtractRaw(properties, '$device_type')) CODEC(ZSTD(1)),
    `$device_id` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$device_id') = 'String', JSONExtractString(properties, '$device_id'), JSONType(properties, '$device_id') = 'Null', NULL, JSONType(properties, '$device_id') = 'Double' AND match(JSONExtractRaw(properties, '$device_id'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$device_id'), 0)), JSONExtractRaw(properties, '$device_id')), JSONExtractRaw(properties, '$device_id')) CODEC(ZSTD(1)),
    `$session_id` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$session_id') = 'String', JSONExtractString(properties, '$session_id'), JSONType(properties, '$session_id') = 'Null', NULL, JSONType(properties, '$session_id') = 'Double' AND match(JSONExtractRaw(properties, '$session_id'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$session_id'), 0)), JSONExtractRaw(properties, '$session_id')), JSONExtractRaw(properties, '$session_id')) CODEC(ZSTD(1)),
    `$window_id` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$window_id') = 'String', JSONExtractString(properties, '$window_id'), JSONType(properties, '$window_id') = 'Null', NULL, JSONType(properties, '$window_id') = 'Double' AND match(JSONExtractRaw(properties, '$window_id'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$window_id'), 0)), JSONExtractRaw(properties, '$window_id')), JSONExtractRaw(properties, '$window_id')) CODEC(ZSTD(1)),
    `$lib` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$lib') = 'String', JSONExtractString(properties, '$lib'), JSONType(properties, '$lib') = 'Null', NULL, JSONType(properties, '$lib') = 'Double' AND match(JSONExtractRaw(properties, '$lib'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$lib'), 0)), JSONExtractRaw(properties, '$lib')), JSONExtractRaw(properties, '$lib')) CODEC(ZSTD(1)),
    `$lib_version` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$lib_version') = 'String', JSONExtractString(properties, '$lib_version'), JSONType(properties, '$lib_version') = 'Null', NULL, JSONType(properties, '$lib_version') = 'Double' AND match(JSONExtractRaw(properties, '$lib_version'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$lib_version'), 0)), JSONExtractRaw(properties, '$lib_version')), JSONExtractRaw(properties, '$lib_version')) CODEC(ZSTD(1)),
    `$referrer` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$referrer') = 'String', JSONExtractString(properties, '$referrer'), JSONType(properties, '$referrer') = 'Null', NULL, JSONType(properties, '$referrer') = 'Double' AND match(JSONExtractRaw(properties, '$referrer'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$referrer'), 0)), JSONExtractRaw(properties, '$referrer')), JSONExtractRaw(properties, '$referrer')) CODEC(ZSTD(1)),
    `$referring_domain` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$referring_domain') = 'String', JSONExtractString(properties, '$referring_domain'), JSONType(properties, '$referring_domain') = 'Null', NULL, JSONType(properties, '$referring_domain') = 'Double' AND match(JSONExtractRaw(properties, '$referring_domain'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$referring_domain'), 0)), JSONExtractRaw(properties, '$referring_domain')), JSONExtractRaw(properties, '$referring_domain')) CODEC(ZSTD(1)),
    `$screen_name` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$screen_name') = 'String', JSONExtractString(properties, '$screen_name'), JSONType(properties, '$screen_name') = 'Null', NULL, JSONType(properties, '$screen_name') = 'Double' AND match(JSONExtractRaw(properties, '$screen_name'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$screen_name'), 0)), JSONExtractRaw(properties, '$screen_name')), JSONExtractRaw(properties, '$screen_name')) CODEC(ZSTD(1)),
    `$feature_flag` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$feature_flag') = 'String', JSONExtractString(properties, '$feature_flag'), JSONType(properties, '$feature_flag') = 'Null', NULL, JSONType(properties, '$feature_flag') = 'Double' AND match(JSONExtractRaw(properties, '$feature_flag'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$feature_flag'), 0)), JSONExtractRaw(properties, '$feature_flag')), JSONExtractRaw(properties, '$feature_flag')) CODEC(ZSTD(1)),
    `$feature_flag_response` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$feature_flag_response') = 'String', JSONExtractString(properties, '$feature_flag_response'), JSONType(properties, '$feature_flag_response') = 'Null', NULL, JSONType(properties, '$feature_flag_response') = 'Double' AND match(JSONExtractRaw(properties, '$feature_flag_response'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$feature_flag_response'), 0)), JSONExtractRaw(properties, '$feature_flag_response')), JSONExtractRaw(properties, '$feature_flag_response')) CODEC(ZSTD(1)),
    `$survey_id` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$survey_id') = 'String', JSONExtractString(properties, '$survey_id'), JSONType(properties, '$survey_id') = 'Null', NULL, JSONType(properties, '$survey_id') = 'Double' AND match(JSONExtractRaw(properties, '$survey_id'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$survey_id'), 0)), JSONExtractRaw(properties, '$survey_id')), JSONExtractRaw(properties, '$survey_id')) CODEC(ZSTD(1)),
    `$groups` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$groups') = 'String', JSONExtractString(properties, '$groups'), JSONType(properties, '$groups') = 'Null', NULL, JSONType(properties, '$groups') = 'Double' AND match(JSONExtractRaw(properties, '$groups'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$groups'), 0)), JSONExtractRaw(properties, '$groups')), JSONExtractRaw(properties, '$groups')) CODEC(ZSTD(1)),
    `$geoip_country_code` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$geoip_country_code') = 'String', JSONExtractString(properties, '$geoip_country_code'), JSONType(properties, '$geoip_country_code') = 'Null', NULL, JSONType(properties, '$geoip_country_code') = 'Double' AND match(JSONExtractRaw(properties, '$geoip_country_code'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$geoip_country_code'), 0)), JSONExtractRaw(properties, '$geoip_country_code')), JSONExtractRaw(properties, '$geoip_country_code')) CODEC(ZSTD(1)),
    `$geoip_city_name` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$geoip_city_name') = 'String', JSONExtractString(properties, '$geoip_city_name'), JSONType(properties, '$geoip_city_name') = 'Null', NULL, JSONType(properties, '$geoip_city_name') = 'Double' AND match(JSONExtractRaw(properties, '$geoip_city_name'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$geoip_city_name'), 0)), JSONExtractRaw(properties, '$geoip_city_name')), JSONExtractRaw(properties, '$geoip_city_name')) CODEC(ZSTD(1)),
    `utm_source` Nullable(String) MATERIALIZED multiIf(JSONType(properties, 'utm_source') = 'String', JSONExtractString(properties, 'utm_source'), JSONType(properties, 'utm_source') = 'Null', NULL, JSONType(properties, 'utm_source') = 'Double' AND match(JSONExtractRaw(properties, 'utm_source'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, 'utm_source'), 0)), JSONExtractRaw(properties, 'utm_source')), JSONExtractRaw(properties, 'utm_source')) CODEC(ZSTD(1)),
    `utm_medium` Nullable(String) MATERIALIZED multiIf(JSONType(properties, 'utm_medium') = 'String', JSONExtractString(properties, 'utm_medium'), JSONType(properties, 'utm_medium') = 'Null', NULL, JSONType(properties, 'utm_medium') = 'Double' AND match(JSONExtractRaw(properties, 'utm_medium'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, 'utm_medium'), 0)), JSONExtractRaw(properties, 'utm_medium')), JSONExtractRaw(properties, 'utm_medium')) CODEC(ZSTD(1)),
    `utm_campaign` Nullable(String) MATERIALIZED multiIf(JSONType(properties, 'utm_campaign') = 'String', JSONExtractString(properties, 'utm_campaign'), JSONType(properties, 'utm_campaign') = 'Null', NULL, JSONType(properties, 'utm_campaign') = 'Double' AND match(JSONExtractRaw(properties, 'utm_campaign'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, 'utm_campaign'), 0)), JSONExtractRaw(properties, 'utm_campaign')), JSONExtractRaw(properties, 'utm_campaign')) CODEC(ZSTD(1)),
    INDEX time timestamp TYPE minmax GRANULARITY 1
  ) ENGINE = ReplacingMergeTree(version)
  PARTITION BY toYYYYMM(toDateTime(uuid_hour * 3600, 'UTC'))
  ORDER BY (uuid_hour, event, uuid)
  SETTINGS non_replicated_deduplication_window = 10000;

ALTER TABLE stored_events ADD COLUMN IF NOT EXISTS `$current_url` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$current_url') = 'String', JSONExtractString(properties, '$current_url'), JSONType(properties, '$current_url') = 'Null', NULL, JSONType(properties, '$current_url') = 'Double' AND match(JSONExtractRaw(properties, '$current_url'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$current_url'), 0)), JSONExtractRaw(properties, '$current_url')), JSONExtractRaw(properties, '$current_url')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$pathname` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$pathname') = 'String', JSONExtractString(properties, '$pathname'), JSONType(properties, '$pathname') = 'Null', NULL, JSONType(properties, '$pathname') = 'Double' AND match(JSONExtractRaw(properties, '$pathname'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$pathname'), 0)), JSONExtractRaw(properties, '$pathname')), JSONExtractRaw(properties, '$pathname')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$host` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$host') = 'String', JSONExtractString(properties, '$host'), JSONType(properties, '$host') = 'Null', NULL, JSONType(properties, '$host') = 'Double' AND match(JSONExtractRaw(properties, '$host'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$host'), 0)), JSONExtractRaw(properties, '$host')), JSONExtractRaw(properties, '$host')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$browser` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$browser') = 'String', JSONExtractString(properties, '$browser'), JSONType(properties, '$browser') = 'Null', NULL, JSONType(properties, '$browser') = 'Double' AND match(JSONExtractRaw(properties, '$browser'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$browser'), 0)), JSONExtractRaw(properties, '$browser')), JSONExtractRaw(properties, '$browser')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$browser_version` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$browser_version') = 'String', JSONExtractString(properties, '$browser_version'), JSONType(properties, '$browser_version') = 'Null', NULL, JSONType(properties, '$browser_version') = 'Double' AND match(JSONExtractRaw(properties, '$browser_version'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$browser_version'), 0)), JSONExtractRaw(properties, '$browser_version')), JSONExtractRaw(properties, '$browser_version')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$os` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$os') = 'String', JSONExtractString(properties, '$os'), JSONType(properties, '$os') = 'Null', NULL, JSONType(properties, '$os') = 'Double' AND match(JSONExtractRaw(properties, '$os'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$os'), 0)), JSONExtractRaw(properties, '$os')), JSONExtractRaw(properties, '$os')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$os_version` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$os_version') = 'String', JSONExtractString(properties, '$os_version'), JSONType(properties, '$os_version') = 'Null', NULL, JSONType(properties, '$os_version') = 'Double' AND match(JSONExtractRaw(properties, '$os_version'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$os_version'), 0)), JSONExtractRaw(properties, '$os_version')), JSONExtractRaw(properties, '$os_version')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$device_type` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$device_type') = 'String', JSONExtractString(properties, '$device_type'), JSONType(properties, '$device_type') = 'Null', NULL, JSONType(properties, '$device_type') = 'Double' AND match(JSONExtractRaw(properties, '$device_type'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$device_type'), 0)), JSONExtractRaw(properties, '$device_type')), JSONExtractRaw(properties, '$device_type')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$device_id` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$device_id') = 'String', JSONExtractString(properties, '$device_id'), JSONType(properties, '$device_id') = 'Null', NULL, JSONType(properties, '$device_id') = 'Double' AND match(JSONExtractRaw(properties, '$device_id'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$device_id'), 0)), JSONExtractRaw(properties, '$device_id')), JSONExtractRaw(properties, '$device_id')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$session_id` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$session_id') = 'String', JSONExtractString(properties, '$session_id'), JSONType(properties, '$session_id') = 'Null', NULL, JSONType(properties, '$session_id') = 'Double' AND match(JSONExtractRaw(properties, '$session_id'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$session_id'), 0)), JSONExtractRaw(properties, '$session_id')), JSONExtractRaw(properties, '$session_id')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$window_id` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$window_id') = 'String', JSONExtractString(properties, '$window_id'), JSONType(properties, '$window_id') = 'Null', NULL, JSONType(properties, '$window_id') = 'Double' AND match(JSONExtractRaw(properties, '$window_id'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$window_id'), 0)), JSONExtractRaw(properties, '$window_id')), JSONExtractRaw(properties, '$window_id')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$lib` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$lib') = 'String', JSONExtractString(properties, '$lib'), JSONType(properties, '$lib') = 'Null', NULL, JSONType(properties, '$lib') = 'Double' AND match(JSONExtractRaw(properties, '$lib'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$lib'), 0)), JSONExtractRaw(properties, '$lib')), JSONExtractRaw(properties, '$lib')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$lib_version` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$lib_version') = 'String', JSONExtractString(properties, '$lib_version'), JSONType(properties, '$lib_version') = 'Null', NULL, JSONType(properties, '$lib_version') = 'Double' AND match(JSONExtractRaw(properties, '$lib_version'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$lib_version'), 0)), JSONExtractRaw(properties, '$lib_version')), JSONExtractRaw(properties, '$lib_version')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$referrer` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$referrer') = 'String', JSONExtractString(properties, '$referrer'), JSONType(properties, '$referrer') = 'Null', NULL, JSONType(properties, '$referrer') = 'Double' AND match(JSONExtractRaw(properties, '$referrer'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$referrer'), 0)), JSONExtractRaw(properties, '$referrer')), JSONExtractRaw(properties, '$referrer')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$referring_domain` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$referring_domain') = 'String', JSONExtractString(properties, '$referring_domain'), JSONType(properties, '$referring_domain') = 'Null', NULL, JSONType(properties, '$referring_domain') = 'Double' AND match(JSONExtractRaw(properties, '$referring_domain'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$referring_domain'), 0)), JSONExtractRaw(properties, '$referring_domain')), JSONExtractRaw(properties, '$referring_domain')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$screen_name` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$screen_name') = 'String', JSONExtractString(properties, '$screen_name'), JSONType(properties, '$screen_name') = 'Null', NULL, JSONType(properties, '$screen_name') = 'Double' AND match(JSONExtractRaw(properties, '$screen_name'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$screen_name'), 0)), JSONExtractRaw(properties, '$screen_name')), JSONExtractRaw(properties, '$screen_name')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$feature_flag` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$feature_flag') = 'String', JSONExtractString(properties, '$feature_flag'), JSONType(properties, '$feature_flag') = 'Null', NULL, JSONType(properties, '$feature_flag') = 'Double' AND match(JSONExtractRaw(properties, '$feature_flag'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$feature_flag'), 0)), JSONExtractRaw(properties, '$feature_flag')), JSONExtractRaw(properties, '$feature_flag')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$feature_flag_response` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$feature_flag_response') = 'String', JSONExtractString(properties, '$feature_flag_response'), JSONType(properties, '$feature_flag_response') = 'Null', NULL, JSONType(properties, '$feature_flag_response') = 'Double' AND match(JSONExtractRaw(properties, '$feature_flag_response'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$feature_flag_response'), 0)), JSONExtractRaw(properties, '$feature_flag_response')), JSONExtractRaw(properties, '$feature_flag_response')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$survey_id` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$survey_id') = 'String', JSONExtractString(properties, '$survey_id'), JSONType(properties, '$survey_id') = 'Null', NULL, JSONType(properties, '$survey_id') = 'Double' AND match(JSONExtractRaw(properties, '$survey_id'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$survey_id'), 0)), JSONExtractRaw(properties, '$survey_id')), JSONExtractRaw(properties, '$survey_id')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$groups` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$groups') = 'String', JSONExtractString(properties, '$groups'), JSONType(properties, '$groups') = 'Null', NULL, JSONType(properties, '$groups') = 'Double' AND match(JSONExtractRaw(properties, '$groups'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$groups'), 0)), JSONExtractRaw(properties, '$groups')), JSONExtractRaw(properties, '$groups')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$geoip_country_code` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$geoip_country_code') = 'String', JSONExtractString(properties, '$geoip_country_code'), JSONType(properties, '$geoip_country_code') = 'Null', NULL, JSONType(properties, '$geoip_country_code') = 'Double' AND match(JSONExtractRaw(properties, '$geoip_country_code'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$geoip_country_code'), 0)), JSONExtractRaw(properties, '$geoip_country_code')), JSONExtractRaw(properties, '$geoip_country_code')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `$geoip_city_name` Nullable(String) MATERIALIZED multiIf(JSONType(properties, '$geoip_city_name') = 'String', JSONExtractString(properties, '$geoip_city_name'), JSONType(properties, '$geoip_city_name') = 'Null', NULL, JSONType(properties, '$geoip_city_name') = 'Double' AND match(JSONExtractRaw(properties, '$geoip_city_name'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, '$geoip_city_name'), 0)), JSONExtractRaw(properties, '$geoip_city_name')), JSONExtractRaw(properties, '$geoip_city_name')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `utm_source` Nullable(String) MATERIALIZED multiIf(JSONType(properties, 'utm_source') = 'String', JSONExtractString(properties, 'utm_source'), JSONType(properties, 'utm_source') = 'Null', NULL, JSONType(properties, 'utm_source') = 'Double' AND match(JSONExtractRaw(properties, 'utm_source'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, 'utm_source'), 0)), JSONExtractRaw(properties, 'utm_source')), JSONExtractRaw(properties, 'utm_source')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `utm_medium` Nullable(String) MATERIALIZED multiIf(JSONType(properties, 'utm_medium') = 'String', JSONExtractString(properties, 'utm_medium'), JSONType(properties, 'utm_medium') = 'Null', NULL, JSONType(properties, 'utm_medium') = 'Double' AND match(JSONExtractRaw(properties, 'utm_medium'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, 'utm_medium'), 0)), JSONExtractRaw(properties, 'utm_medium')), JSONExtractRaw(properties, 'utm_medium')) CODEC(ZSTD(1)), ADD COLUMN IF NOT EXISTS `utm_campaign` Nullable(String) MATERIALIZED multiIf(JSONType(properties, 'utm_campaign') = 'String', JSONExtractString(properties, 'utm_campaign'), JSONType(properties, 'utm_campaign') = 'Null', NULL, JSONType(properties, 'utm_campaign') = 'Double' AND match(JSONExtractRaw(properties, 'utm_campaign'), 'e(19|20)$'), ifNull(toString(toDecimal128OrNull(JSONExtractRaw(properties, 'utm_campaign'), 0)), JSONExtractRaw(properties, 'utm_campaign')), JSONExtractRaw(properties, 'utm_campaign')) CODEC(ZSTD(1));

CREATE TABLE IF NOT EXISTS stored_persons (
    id UUID, properties String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), is_identified Bool, is_deleted Bool, version UInt64
  ) ENGINE = ReplacingMergeTree(version) ORDER BY id;

CREATE TABLE IF NOT EXISTS stored_person_names (
    id UUID, public_id UUID, version UInt64
  ) ENGINE = ReplacingMergeTree(version) ORDER BY id;

CREATE TABLE IF NOT EXISTS stored_distinct_ids (
    distinct_id String, origin_id UUID, person_id UUID, version UInt64
  ) ENGINE = ReplacingMergeTree(version) ORDER BY distinct_id;

CREATE TABLE IF NOT EXISTS stored_groups (
    group_type LowCardinality(String), group_key String, properties String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), version UInt64
  ) ENGINE = ReplacingMergeTree(version) ORDER BY (group_type, group_key);

CREATE TABLE IF NOT EXISTS stored_person_changes (
    id UUID, name String, value String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), is_identified Bool, version UInt64, removed_at DateTime('UTC')
  ) ENGINE = ReplacingMergeTree(version) ORDER BY (id, name) TTL removed_at + INTERVAL 7 DAY DELETE WHERE removed_at > toDateTime(0, 'UTC') SETTINGS min_age_to_force_merge_seconds = 86400;

CREATE TABLE IF NOT EXISTS stored_group_changes (
    group_type LowCardinality(String), group_key String, name String, value String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), version UInt64, removed_at DateTime('UTC')
  ) ENGINE = ReplacingMergeTree(version) ORDER BY (group_type, group_key, name) TTL removed_at + INTERVAL 7 DAY DELETE WHERE removed_at > toDateTime(0, 'UTC') SETTINGS min_age_to_force_merge_seconds = 86400;

CREATE TABLE IF NOT EXISTS rejected (
    node String, inbox_row UInt64, received_at DateTime64(3, 'UTC'), reason String, form String, body String
  ) ENGINE = ReplacingMergeTree ORDER BY (node, inbox_row);

CREATE TABLE IF NOT EXISTS progress (
    node String, inbox_row UInt64, events Nullable(UInt64), person_revision UInt64, version UInt64
  ) ENGINE = ReplacingMergeTree(version) ORDER BY node;

ALTER TABLE stored_persons ADD COLUMN IF NOT EXISTS name String MATERIALIZED '', ADD COLUMN IF NOT EXISTS value String MATERIALIZED '';

ALTER TABLE stored_person_changes ADD COLUMN IF NOT EXISTS removed_at DateTime('UTC'), ADD COLUMN IF NOT EXISTS properties String MATERIALIZED '', ADD COLUMN IF NOT EXISTS is_deleted Bool MATERIALIZED false;

ALTER TABLE stored_person_changes MODIFY TTL removed_at + INTERVAL 7 DAY DELETE WHERE removed_at > toDateTime(0, 'UTC') SETTINGS materialize_ttl_after_modify = 0;

ALTER TABLE stored_person_changes MODIFY SETTING min_age_to_force_merge_seconds = 86400;

ALTER TABLE stored_groups ADD COLUMN IF NOT EXISTS name String MATERIALIZED '', ADD COLUMN IF NOT EXISTS value String MATERIALIZED '';

ALTER TABLE stored_group_changes ADD COLUMN IF NOT EXISTS removed_at DateTime('UTC'), ADD COLUMN IF NOT EXISTS properties String MATERIALIZED '';

ALTER TABLE stored_group_changes MODIFY TTL removed_at + INTERVAL 7 DAY DELETE WHERE removed_at > toDateTime(0, 'UTC') SETTINGS materialize_ttl_after_modify = 0;

ALTER TABLE stored_group_changes MODIFY SETTING min_age_to_force_merge_seconds = 86400;

CREATE TABLE IF NOT EXISTS person_parts (
    id UUID, properties String, created_at DateTime64(3, 'UTC'), is_identified Bool, is_deleted Bool, name String, value String, version UInt64
  ) ENGINE = Merge('waymark_1', '^(stored_persons|stored_person_changes)$');

CREATE TABLE IF NOT EXISTS group_parts (
    group_type LowCardinality(String), group_key String, properties String, created_at DateTime64(3, 'UTC'), name String, value String, version UInt64
  ) ENGINE = Merge('waymark_1', '^(stored_groups|stored_group_changes)$');

CREATE OR REPLACE VIEW persons AS
    SELECT id, replaceAll(stored.properties, '\n', '') AS properties, created_at, is_identified FROM stored_persons AS stored FINAL
    WHERE NOT is_deleted AND NOT (id IN (SELECT id FROM stored_person_names) OR id IN (SELECT id FROM stored_person_changes WHERE removed_at = toDateTime(0, 'UTC')))
    UNION ALL
    SELECT id, replaceAll(folded, '\n', '') AS properties, created_at, is_identified FROM (
    SELECT id, base,
      if(new_version >= base_version, new_created_at, base_created_at) AS created_at, if(new_version >= base_version, new_is_identified, base_is_identified) AS is_identified,
      arrayFilter(change -> change.3 >= base_version, changes) AS valid,
      arrayMap(change -> change.1, valid) AS names,
      arrayMap(change -> concat(change.1, ':', change.2), arrayFilter(change -> change.2 != '', valid)) AS added,
      replaceRegexpAll(base,
        concat('\n,?(?:', arrayStringConcat(arrayMap(name -> regexpQuoteMeta(name), names), '|'), '):[^\n]*'), '') AS lines,
      replaceRegexpOne(substring(lines, 2, length(lines) - 3), '^\n,?', '') AS kept_lines,
      arrayMap(name -> JSONExtractString(name), names) AS keys,
      arrayFilter(member -> NOT has(keys, member.1), JSONExtractKeysAndValuesRaw(base)) AS members,
      arrayStringConcat(arrayMap(member -> concat(toJSONString(member.1), ':', member.2), members), '\n,') AS kept_members,
      if(empty(names), base, concat('{\n', arrayStringConcat(
        arrayFilter(part -> part != '', arrayConcat(added, [if(startsWith(base, '{\n'), kept_lines, kept_members)])),
      '\n,'), '\n}')) AS folded
    FROM (
      SELECT id, anyIf(properties, _table = 'stored_persons') AS base,
        groupArrayIf((name, value, version), name != '') AS changes,
        anyIf(created_at, _table = 'stored_persons') AS base_created_at, anyIf(created_at, name = '' AND _table != 'stored_persons') AS new_created_at,
        anyIf(is_identified, _table = 'stored_persons') AS base_is_identified, anyIf(is_identified, name = '' AND _table != 'stored_persons') AS new_is_identified,
        anyIf(version, _table = 'stored_persons') AS base_version, anyIf(version, name = '' AND _table != 'stored_persons') AS new_version
      FROM person_parts FINAL WHERE NOT id IN (SELECT id FROM stored_person_names) AND id IN (SELECT id FROM stored_person_changes WHERE removed_at = toDateTime(0, 'UTC')) GROUP BY id
      HAVING max(_table = 'stored_persons') AND NOT max(is_deleted)
      SETTINGS max_block_size = 256
    )
  )
    UNION ALL
    SELECT named.public_id AS id, stored.properties AS properties, stored.created_at AS created_at,
      stored.is_identified AS is_identified
    FROM (SELECT id, replaceAll(folded, '\n', '') AS properties, created_at, is_identified FROM (
    SELECT id, base,
      if(new_version >= base_version, new_created_at, base_created_at) AS created_at, if(new_version >= base_version, new_is_identified, base_is_identified) AS is_identified,
      arrayFilter(change -> change.3 >= base_version, changes) AS valid,
      arrayMap(change -> change.1, valid) AS names,
      arrayMap(change -> concat(change.1, ':', change.2), arrayFilter(change -> change.2 != '', valid)) AS added,
      replaceRegexpAll(base,
        concat('\n,?(?:', arrayStringConcat(arrayMap(name -> regexpQuoteMeta(name), names), '|'), '):[^\n]*'), '') AS lines,
      replaceRegexpOne(substring(lines, 2, length(lines) - 3), '^\n,?', '') AS kept_lines,
      arrayMap(name -> JSONExtractString(name), names) AS keys,
      arrayFilter(member -> NOT has(keys, member.1), JSONExtractKeysAndValuesRaw(base)) AS members,
      arrayStringConcat(arrayMap(member -> concat(toJSONString(member.1), ':', member.2), members), '\n,') AS kept_members,
      if(empty(names), base, concat('{\n', arrayStringConcat(
        arrayFilter(part -> part != '', arrayConcat(added, [if(startsWith(base, '{\n'), kept_lines, kept_members)])),
      '\n,'), '\n}')) AS folded
    FROM (
      SELECT id, anyIf(properties, _table = 'stored_persons') AS base,
        groupArrayIf((name, value, version), name != '') AS changes,
        anyIf(created_at, _table = 'stored_persons') AS base_created_at, anyIf(created_at, name = '' AND _table != 'stored_persons') AS new_created_at,
        anyIf(is_identified, _table = 'stored_persons') AS base_is_identified, anyIf(is_identified, name = '' AND _table != 'stored_persons') AS new_is_identified,
        anyIf(version, _table = 'stored_persons') AS base_version, anyIf(version, name = '' AND _table != 'stored_persons') AS new_version
      FROM person_parts FINAL WHERE id IN (SELECT id FROM stored_person_names) GROUP BY id
      HAVING max(_table = 'stored_persons') AND NOT max(is_deleted)
      SETTINGS max_block_size = 256
    )
  )) AS stored ANY INNER JOIN (SELECT id, public_id FROM stored_person_names FINAL) AS named ON named.id = stored.id;

CREATE OR REPLACE VIEW person_distinct_ids AS
    SELECT ids.distinct_id AS distinct_id, if(named.id = ids.person_id, named.public_id, ids.person_id) AS person_id
    FROM (SELECT distinct_id, person_id FROM stored_distinct_ids FINAL) AS ids LEFT ANY JOIN (SELECT id, public_id FROM stored_person_names FINAL) AS named ON named.id = ids.person_id;

CREATE OR REPLACE VIEW groups AS
    SELECT group_type, group_key, replaceAll(stored.properties, '\n', '') AS properties, created_at FROM stored_groups AS stored FINAL
    WHERE NOT (group_type, group_key) IN (SELECT group_type, group_key FROM stored_group_changes WHERE removed_at = toDateTime(0, 'UTC'))
    UNION ALL
    SELECT group_type, group_key, replaceAll(folded, '\n', '') AS properties, created_at FROM (
    SELECT group_type, group_key, base,
      if(new_version >= base_version, new_created_at, base_created_at) AS created_at,
      arrayFilter(change -> change.3 >= base_version, changes) AS valid,
      arrayMap(change -> change.1, valid) AS names,
      arrayMap(change -> concat(change.1, ':', change.2), arrayFilter(change -> change.2 != '', valid)) AS added,
      replaceRegexpAll(base,
        concat('\n,?(?:', arrayStringConcat(arrayMap(name -> regexpQuoteMeta(name), names), '|'), '):[^\n]*'), '') AS lines,
      replaceRegexpOne(substring(lines, 2, length(lines) - 3), '^\n,?', '') AS kept_lines,
      arrayMap(name -> JSONExtractString(name), names) AS keys,
      arrayFilter(member -> NOT has(keys, member.1), JSONExtractKeysAndValuesRaw(base)) AS members,
      arrayStringConcat(arrayMap(member -> concat(toJSONString(member.1), ':', member.2), members), '\n,') AS kept_members,
      if(empty(names), base, concat('{\n', arrayStringConcat(
        arrayFilter(part -> part != '', arrayConcat(added, [if(startsWith(base, '{\n'), kept_lines, kept_members)])),
      '\n,'), '\n}')) AS folded
    FROM (
      SELECT group_type, group_key, anyIf(properties, _table = 'stored_groups') AS base,
        groupArrayIf((name, value, version), name != '') AS changes,
        anyIf(created_at, _table = 'stored_groups') AS base_created_at, anyIf(created_at, name = '' AND _table != 'stored_groups') AS new_created_at,
        anyIf(version, _table = 'stored_groups') AS base_version, anyIf(version, name = '' AND _table != 'stored_groups') AS new_version
      FROM group_parts FINAL WHERE (group_type, group_key) IN (SELECT group_type, group_key FROM stored_group_changes WHERE removed_at = toDateTime(0, 'UTC')) GROUP BY group_type, group_key
      HAVING max(_table = 'stored_groups')
      SETTINGS max_block_size = 256
    )
  );

CREATE OR REPLACE VIEW events AS
    SELECT stored.uuid AS uuid, stored.event AS event, stored.distinct_id AS distinct_id,
      if(moved.distinct_id = '', stored.origin_id, moved.person_id) AS person_id,
      stored.timestamp AS timestamp, stored.received_at AS received_at, stored.historical AS historical,
      stored.properties AS properties,
      stored.`$current_url` AS `$current_url`, stored.`$pathname` AS `$pathname`, stored.`$host` AS `$host`, stored.`$browser` AS `$browser`, stored.`$browser_version` AS `$browser_version`, stored.`$os` AS `$os`, stored.`$os_version` AS `$os_version`, stored.`$device_type` AS `$device_type`, stored.`$device_id` AS `$device_id`, stored.`$session_id` AS `$session_id`, stored.`$window_id` AS `$window_id`, stored.`$lib` AS `$lib`, stored.`$lib_version` AS `$lib_version`, stored.`$referrer` AS `$referrer`, stored.`$referring_domain` AS `$referring_domain`, stored.`$screen_name` AS `$screen_name`, stored.`$feature_flag` AS `$feature_flag`, stored.`$feature_flag_response` AS `$feature_flag_response`, stored.`$survey_id` AS `$survey_id`, stored.`$groups` AS `$groups`, stored.`$geoip_country_code` AS `$geoip_country_code`, stored.`$geoip_city_name` AS `$geoip_city_name`, stored.`utm_source` AS `utm_source`, stored.`utm_medium` AS `utm_medium`, stored.`utm_campaign` AS `utm_campaign`
    FROM stored_events AS stored FINAL
    LEFT ANY JOIN (
      SELECT ids.distinct_id AS distinct_id, if(named.id = ids.person_id, named.public_id, ids.person_id) AS person_id
      FROM (
        SELECT distinct_id, person_id FROM stored_distinct_ids FINAL
        WHERE person_id != origin_id OR person_id IN (SELECT id FROM stored_person_names FINAL)
      ) AS ids LEFT ANY JOIN (SELECT id, public_id FROM stored_person_names FINAL) AS named ON named.id = ids.person_id
    ) AS moved ON moved.distinct_id = stored.distinct_id;

CREATE USER IF NOT EXISTS `waymark_1_member` IDENTIFIED WITH sha256_password BY 'secret';

ALTER USER `waymark_1_member` IDENTIFIED WITH sha256_password BY 'secret';

GRANT SELECT ON `waymark_1`.`events` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`persons` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`person_distinct_ids` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`groups` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`stored_events` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`stored_persons` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`stored_person_names` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`stored_distinct_ids` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`stored_groups` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`stored_person_changes` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`stored_group_changes` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`person_parts` TO `waymark_1_member`;

GRANT SELECT ON `waymark_1`.`group_parts` TO `waymark_1_member`;

CREATE TABLE IF NOT EXISTS applied_schemas (
    hash String, at DateTime64(3, 'UTC') DEFAULT now64(3)
  ) ENGINE = ReplacingMergeTree ORDER BY (hash, at);
