#!/usr/bin/env bash
# Requests without an SDK: bash and curl, like the examples that people copy.
#
#   HOST=http://localhost:8585 API_KEY=wm_… PERSONAL_API_KEY=wmx_… ./curl.sh events|flags
#
# Prints one line per request: its name, the status and the response. Exits with an error at the first failed request.
set -euo pipefail
: "${HOST:?}" "${API_KEY:?}" "${PERSONAL_API_KEY:?}"

# send NAME CURL-ARGUMENTS...
send() {
  local name=$1
  shift
  curl --silent --show-error --fail-with-body --location --write-out ' %{http_code}\n' "$@" | {
    IFS= read -r line
    printf '%s %s %s\n' "$name" "${line##* }" "${line% *}"
  }
}

events() {
  send capture "$HOST/i/v0/e/" --header 'Content-Type: application/json' --data '{
    "api_key": "'"$API_KEY"'",
    "event": "bought",
    "distinct_id": "ada",
    "properties": {"price": 9.5, "$groups": {"company": "acme"}, "$feature/colour": "red"},
    "timestamp": "2026-05-01T10:00:00.123456+02:00"
  }'
  # Without a Content-Type header, curl declares a form.
  send no-header "$HOST/capture/" -d '{"api_key": "'"$API_KEY"'", "event": "plain", "distinct_id": "ada"}'
  send anonymous "$HOST/i/v0/e" -H 'Content-Type: application/json' -d '{
    "api_key": "'"$API_KEY"'", "event": "seen", "distinct_id": "anonymous",
    "properties": {"$process_person_profile": false}
  }'
  send batch "$HOST/batch/" -H 'Content-Type: application/json' -d '{
    "api_key": "'"$API_KEY"'",
    "batch": [
      {"event": "$pageview", "properties": {"distinct_id": "visitor", "$current_url": "https://shop.example/"}},
      {"event": "$screen", "properties": {"distinct_id": "visitor", "$screen_name": "Home"}, "timestamp": "2026-05-01"},
      {"event": "survey sent", "properties": {"distinct_id": "ada", "$survey_id": "1", "$survey_response": "good"}}
    ]
  }'
  send historical "$HOST/batch/" -H 'Content-Type: application/json' -d '{
    "api_key": "'"$API_KEY"'",
    "historical_migration": true,
    "batch": [
      {"event": "old", "properties": {"distinct_id": "ada"}, "timestamp": "2015-05-01T10:00:00Z"}
    ]
  }'
  send identify "$HOST/i/v0/e/" -H 'Content-Type: application/json' -d '{
    "api_key": "'"$API_KEY"'", "event": "$identify", "distinct_id": "ada",
    "properties": {"$set": {"plan": "pro"}, "$set_once": {"source": "ad"}}
  }'
  send alias "$HOST/i/v0/e/" -H 'Content-Type: application/json' -d '{
    "api_key": "'"$API_KEY"'", "event": "$create_alias", "distinct_id": "visitor", "properties": {"alias": "ada"}
  }'
  send group "$HOST/i/v0/e/" -H 'Content-Type: application/json' -d '{
    "api_key": "'"$API_KEY"'", "event": "$groupidentify", "distinct_id": "ada",
    "properties": {"$group_type": "company", "$group_key": "acme", "$group_set": {"seats": 5}}
  }'
  printf '{"api_key": "%s", "event": "zipped", "distinct_id": "ada"}' "$API_KEY" | gzip --stdout |
    send gzip "$HOST/i/v0/e/" -H 'Content-Type: application/json' -H 'Content-Encoding: gzip' --data-binary @-
  send form "$HOST/e/" --data-urlencode 'data={"api_key": "'"$API_KEY"'", "event": "form & more", "distinct_id": "ada"}'
  send base64 "$HOST/track/" \
    --data-urlencode "data=$(printf '{"token": "%s", "event": "base64", "distinct_id": "ada"}' "$API_KEY" | base64 --wrap 0)"
  # Dropped silently, as everywhere in this protocol.
  send no-id "$HOST/i/v0/e/" -H 'Content-Type: application/json' -d '{"api_key": "'"$API_KEY"'", "event": "lost"}'
}

flags() {
  send decide "$HOST/decide?v=3" -H 'Content-Type: application/json' -d '{
    "api_key": "'"$API_KEY"'", "distinct_id": "ada", "groups": {"company": "acme"}
  }'
  send override "$HOST/decide/?v=3" -H 'Content-Type: application/json' -d '{
    "api_key": "'"$API_KEY"'", "distinct_id": "ada", "person_properties": {"plan": "free"}
  }'
  send flags "$HOST/flags/?v=2" -H 'Content-Type: application/json' -d '{
    "api_key": "'"$API_KEY"'", "distinct_id": "visitor"
  }'
  send surveys "$HOST/api/surveys/?token=$API_KEY"
  send features "$HOST/api/early_access_features/?token=$API_KEY"

  local folder
  folder=$(mktemp -d)
  trap 'rm -r "$folder"' RETURN
  local definitions="$HOST/api/feature_flag/local_evaluation/?token=$API_KEY&send_cohorts"
  send definitions "$definitions" -H "Authorization: Bearer $PERSONAL_API_KEY" --etag-save "$folder/etag"
  send unchanged "$definitions" -H "Authorization: Bearer $PERSONAL_API_KEY" --etag-compare "$folder/etag"
  send query "$HOST/api/projects/@current/query/" -H "Authorization: Bearer $PERSONAL_API_KEY" \
    -H 'Content-Type: application/json' -d '{"query": "SELECT count(DISTINCT person_id) FROM events"}'
}

"$1"
