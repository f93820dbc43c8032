/** A body for each operation that takes one, by operation id. Together they are a tour of the API: most use what others create. */
export const REQUEST_EXAMPLES: Readonly<Record<string, object>> = {
  cohorts_create: {
    name: 'Pro customers in Berlin',
    filters: {
      properties: {
        type: 'AND',
        values: [
          { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] },
          { type: 'person', key: 'city', operator: 'exact', value: ['Berlin'] },
        ],
      },
    },
  },
  cohorts_update: { name: 'Pro customers in Germany', version: 1 },
  dashboards_create: { name: 'Growth', tiles: [{ text: { body: '# Signups' } }] },
  dashboards_partial_update: { pinned: true, version: 1 },
  early_access_feature_create: {
    name: 'New editor',
    description: 'Write together.',
    stage: 'beta',
    documentation_url: 'https://shop.example/docs/editor',
  },
  early_access_feature_update: { stage: 'general-availability', version: 1 },
  explicit_members_create: { user_uuid: '0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e10', level: 8 },
  explicit_members_partial_update: { level: 1, version: 1 },
  feature_flags_create: {
    key: 'new-checkout',
    name: 'New checkout',
    filters: {
      groups: [
        {
          properties: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }],
          rollout_percentage: 50,
        },
      ],
    },
  },
  feature_flags_update: { active: false, version: 1 },
  groups_types_create: { group_type: 'company' },
  exports_create: {
    export_format: 'text/csv',
    export_context: { source: { kind: 'EventsQuery', select: ['*'], event: '$pageview', after: '-7d' } },
  },
  insights_create: {
    name: 'Visitors per day',
    query: {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
      dateRange: { date_from: '-30d' },
    },
    tags: ['growth'],
  },
  insights_partial_update: { favorited: true, version: 1 },
  organization_members_partial_update: { level: 8, version: 1 },
  organizations_partial_update: { name: 'Shop', version: 1 },
  personal_api_keys_create: {
    label: 'dashboard script',
    scopes: ['query:read', 'project:read'],
    scoped_teams: [1],
    expires_at: '2030-01-31T09:00:00Z',
  },
  personal_api_keys_partial_update: { label: 'weekly report', version: 1 },
  project_partial_update: { name: 'Web shop', is_private: true, version: 1 },
  projects_create: { name: 'Web shop', is_private: false },
  projects_of_environments_create: { name: 'Web shop', is_private: false },
  query_create: {
    query: {
      kind: 'SQLQuery',
      query: 'SELECT event, count(*) AS events FROM events GROUP BY event ORDER BY events DESC',
    },
    refresh: 'blocking',
    name: 'Events by name',
  },
  session_recording_playlists_create: {
    name: 'Checkouts that failed',
    filters: {
      date_from: '-7d',
      filter_group: {
        type: 'AND',
        values: [{ type: 'AND', values: [{ type: 'events', id: 'checkout failed', name: 'checkout failed' }] }],
      },
    },
  },
  session_recording_playlists_update: { pinned: true, version: 1 },
  surveys_create: {
    name: 'After checkout',
    type: 'popover',
    questions: [{ type: 'open', question: 'How was it?' }],
    start_date: '2026-01-31T09:00:00Z',
  },
  surveys_update: { archived: true, version: 1 },
  users_partial_update: { first_name: 'Ann', last_name: 'Lee', role_at_organization: 'product', version: 1 },
}
