/**
 * Event properties that have a column from the beginning, because most events of websites have them, or because they have a column of
 * their own name in the view `events`. New names may be added at the end; opening an older file adds the column.
 */
export const HOT_PROPERTIES: readonly string[] = [
  '$current_url',
  '$pathname',
  '$host',
  '$browser',
  '$browser_version',
  '$os',
  '$os_version',
  '$device_type',
  '$device_id',
  '$session_id',
  '$window_id',
  '$lib',
  '$lib_version',
  '$referrer',
  '$referring_domain',
  '$screen_name',
  '$feature_flag',
  '$feature_flag_response',
  '$survey_id',
  '$groups',
  '$geoip_country_code',
  '$geoip_city_name',
  'utm_source',
  'utm_medium',
  'utm_campaign',
]
