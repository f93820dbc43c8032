import { describe, expect, it } from 'vitest'
import { saveCohort } from '../../../src/service/store/metadata/cohorts.ts'
import { saveFlags } from '../../../src/service/store/metadata/flags.ts'
import type { NewFlag } from '../../../src/service/store/metadata/flags.ts'
import { saveSurvey } from '../../../src/service/store/metadata/surveys.ts'
import { openManagement } from '../support/management.ts'

const PLAN = { key: 'plan', value: 'pro' }
const withFilters = (filters: object): object => ({ key: 'a', filters: { groups: [{}], ...filters } })
const withGroup = (group: object): object => ({ key: 'a', filters: { groups: [{}, group] } })
const withCondition = (condition: object): object => withGroup({ properties: [PLAN, { ...PLAN, ...condition }] })
const withVariant = (variant: object): object =>
  withFilters({ multivariate: { variants: [{ key: 'a', rollout_percentage: 100, ...variant }] } })
const withTree = (...values: object[]): object => ({ name: 'A', filters: { properties: { type: 'OR', values } } })
const QUESTION = { type: 'open', question: 'How?' }
const survey = (fields: object): object => ({ name: 'A', type: 'popover', questions: [QUESTION], ...fields })

describe('an unknown field that is probably meant to be another one', () => {
  const flags: readonly (readonly [body: object, path: string, meant: string])[] = [
    [
      { key: 'a', filters: { groups: [{}] }, rollout_percent: 10 },
      'rollout_percent',
      'filters.groups[0].rollout_percentage',
    ],
    [
      { key: 'a', filters: { groups: [{}] }, rolloutPercentage: 10 },
      'rolloutPercentage',
      'filters.groups[0].rollout_percentage',
    ],
    [
      { key: 'a', filters: { groups: [{}] }, rollout_percentag: 10 },
      'rollout_percentag',
      'filters.groups[0].rollout_percentage',
    ],
    [
      { key: 'a', filters: { groups: [{}] }, rollout_percentage: 10 },
      'rollout_percentage',
      'filters.groups[0].rollout_percentage',
    ],
    [{ key: 'a', filters: { groups: [{}] }, percentage: 10 }, 'percentage', 'filters.groups[0].rollout_percentage'],
    [{ key: 'a', filters: { groups: [{}] }, rollout: 10 }, 'rollout', 'filters.groups[0].rollout_percentage'],
    [{ key: 'a', filters: { groups: [{}] }, enabled: false }, 'enabled', 'active'],
    [{ key: 'a', filters: { groups: [{}] }, isActive: false }, 'isActive', 'active'],
    [{ key: 'a', filters: { groups: [{}] }, activ: false }, 'activ', 'active'],
    [{ key: 'a', filters: { groups: [{}] }, versoin: 3 }, 'versoin', 'version'],
    [{ key: 'a', filters: { groups: [{}] }, groups: [] }, 'groups', 'filters.groups'],
    [{ key: 'a', filters: { groups: [{}] }, variants: [] }, 'variants', 'filters.multivariate.variants'],
    [{ key: 'a', filters: { groups: [{}] }, evaluation_runtim: 'server' }, 'evaluation_runtim', 'evaluation_runtime'],
    [{ key: 'a', filter: { groups: [{}] } }, 'filter', 'filters'],
    [withFilters({ rollout_percentage: 10 }), 'filters.rollout_percentage', 'filters.groups[0].rollout_percentage'],
    [withFilters({ properties: [PLAN] }), 'filters.properties', 'filters.groups[0].properties'],
    [withFilters({ payload: { true: '1' } }), 'filters.payload', 'payloads'],
    [withFilters({ multivarate: { variants: [] } }), 'filters.multivarate', 'multivariate'],
    [withFilters({ variants: [] }), 'filters.variants', 'filters.multivariate.variants'],
    [withFilters({ earlyExit: true }), 'filters.earlyExit', 'early_exit'],
    [withFilters({ multivariate: { variations: [] } }), 'filters.multivariate.variations', 'variants'],
    [
      withFilters({ holdout: { id: 1, exclusion_percentag: 10 } }),
      'filters.holdout.exclusion_percentag',
      'exclusion_percentage',
    ],
    [withFilters({ holdout: { id: 1, percentage: 10 } }), 'filters.holdout.percentage', 'exclusion_percentage'],
    [withGroup({ rollout_percent: 10 }), 'filters.groups[1].rollout_percent', 'rollout_percentage'],
    [withGroup({ conditions: [PLAN] }), 'filters.groups[1].conditions', 'properties'],
    [withGroup({ propertys: [PLAN] }), 'filters.groups[1].propertys', 'properties'],
    [withGroup(PLAN), 'filters.groups[1].key', 'properties[0].key'],
    [withGroup({ varaint: 'a' }), 'filters.groups[1].varaint', 'variant'],
    [withCondition({ operater: 'is_not' }), 'filters.groups[1].properties[1].operater', 'operator'],
    [withCondition({ op: 'is_not' }), 'filters.groups[1].properties[1].op', 'operator'],
    [withCondition({ negated: true }), 'filters.groups[1].properties[1].negated', 'negation'],
    [withVariant({ weight: 50 }), 'filters.multivariate.variants[0].weight', 'rollout_percentage'],
    [withVariant({ payload: 1 }), 'filters.multivariate.variants[0].payload', 'filters.payloads'],
  ]
  const others: readonly (readonly [path: string, body: object, field: string, meant: string])[] = [
    ['cohorts', { ...withTree(PLAN), descripton: 'A' }, 'descripton', 'description'],
    ['cohorts', { name: 'A', properties: {} }, 'properties', 'filters.properties'],
    ['cohorts', { name: 'A', filters: { propertys: {} } }, 'filters.propertys', 'properties'],
    ['cohorts', withTree({ ...PLAN, negate: true }), 'filters.properties.values[0].negate', 'negation'],
    [
      'cohorts',
      withTree(PLAN, { type: 'AND', values: [{ ...PLAN, operatr: 'is_not' }] }),
      'filters.properties.values[1].values[0].operatr',
      'operator',
    ],
    [
      'cohorts',
      withTree({ type: 'AND', values: [PLAN], negation: true }),
      'filters.properties.values[0].negation',
      'values[0].negation',
    ],
    ['early_access_feature', { name: 'A', stag: 'beta' }, 'stag', 'stage'],
    ['early_access_feature', { name: 'A', feature_flag_key: 'a' }, 'feature_flag_key', 'feature_flag_id'],
    [
      'early_access_feature',
      { name: 'A', documentationUrl: 'https://a.example' },
      'documentationUrl',
      'documentation_url',
    ],
    ['surveys', survey({ linked_flag: 1, flag_id: 1 }), 'flag_id', 'linked_flag_id'],
    ['surveys', survey({ startdate: '2026-01-01' }), 'startdate', 'start_date'],
    ['surveys', survey({ conditions: { urlMatchTyp: 'exact' } }), 'conditions.urlMatchTyp', 'urlMatchType'],
    [
      'surveys',
      survey({ conditions: { events: { values: [{ event: 'bought' }] } } }),
      'conditions.events.values[0].event',
      'name',
    ],
    ['surveys', survey({ questions: [{ ...QUESTION, optinal: true }] }), 'questions[0].optinal', 'optional'],
    [
      'surveys',
      survey({ questions: [{ ...QUESTION, branching: { type: 'end', responsevalues: {} } }] }),
      'questions[0].branching.responsevalues',
      'responseValues',
    ],
  ]
  const all = [...flags.map(([body, path, meant]) => ['feature_flags', body, path, meant] as const), ...others]

  it('is refused with its place and what to write, and nothing is stored', async () => {
    const { request } = await openManagement()
    for (const [path, body, attr, meant] of all) {
      const answer = await request('POST', `${path}/`, body)
      expect({ body, answer }).toMatchObject({ answer: { status: 400, body: { code: 'unknown_field', attr } } })
      expect(answer.body.detail).toBe(`"${attr}" is not a field; use "${meant}".`)
    }
    for (const path of new Set(all.map(([each]) => each))) expect((await request('GET', `${path}/`)).body.count).toBe(0)
  })

  it('is refused in a PATCH, too', async () => {
    const { request } = await openManagement()
    await request('POST', 'feature_flags/', withFilters({}))
    await request('POST', 'cohorts/', withTree(PLAN))
    const feature = (await request('POST', 'early_access_feature/', { name: 'New' })).body.id
    const created = (await request('POST', 'surveys/', survey({}))).body.id
    const ids: Record<string, string> = {
      feature_flags: 'a',
      cohorts: '1',
      early_access_feature: feature,
      surveys: created,
    }
    for (const [path, body, attr] of all)
      expect(await request('PATCH', `${path}/${ids[path]}/`, body)).toMatchObject({ status: 400, body: { attr } })
  })
})

describe('another unknown field', () => {
  it('is stored and named in warnings', async () => {
    const { request } = await openManagement()
    const body = {
      key: 'a',
      notes: 'for Ann',
      filters: { groups: [{ ticket: 1, properties: [{ ...PLAN, comment: 'x' }] }], review: { rollout: 1 } },
    }
    const warnings = [
      'notes',
      'filters.review',
      'filters.groups[0].ticket',
      'filters.groups[0].properties[0].comment',
    ].map((path) => `"${path}" is not a field of a feature flag: it is stored and has no effect.`)
    const created = await request('POST', 'feature_flags/', body)
    expect(created).toMatchObject({ status: 201, body: { ...body, warnings } })
    const { body: stored } = await request('GET', 'feature_flags/a/')
    expect(stored).toMatchObject(body)
    expect(stored).not.toHaveProperty('warnings')
    // Clients send back what they read: also the answer to a change.
    for (const sent of [stored, created.body, { filters: body.filters }, { notes: 'for Ann' }]) {
      const answer = await request('PATCH', 'feature_flags/a/', sent)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual(stored)
    }
    expect((await request('PATCH', 'feature_flags/a/', { notes: 'for Bob' })).body.warnings).toEqual(
      warnings.slice(0, 1),
    )
  })

  it('is named for cohorts, surveys and early access features', async () => {
    const { request } = await openManagement()
    const notes = { notes: 'x' }
    expect((await request('POST', 'cohorts/', { ...withTree(PLAN), ...notes })).body).toMatchObject({
      ...notes,
      warnings: ['"notes" is not a field of a cohort: it is stored and has no effect.'],
    })
    expect((await request('POST', 'surveys/', survey(notes))).body).toMatchObject({
      ...notes,
      warnings: ['"notes" is not a field of a survey: it is stored and has no effect.'],
    })
    const { body: feature } = await request('POST', 'early_access_feature/', { name: 'New', ...notes })
    const warnings = ['"notes" is not a field of an early access feature: it is not stored.']
    expect(feature.warnings).toEqual(warnings)
    expect(feature).not.toHaveProperty('notes')
    expect((await request('PATCH', `early_access_feature/${feature.id}/`, notes)).body.warnings).toEqual(warnings)
  })

  it('is one of at most 20 that are named', async () => {
    const { request } = await openManagement()
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x-${index}-${'y'.repeat(200)}`, 1]))
    const { body } = await request('POST', 'feature_flags/', { ...withFilters({}), ...many })
    expect(body.warnings).toHaveLength(21)
    expect(body.warnings[20]).toBe('There are 980 more such fields.')
    expect(Math.max(...body.warnings.map(({ length }: string) => length))).toBeLessThan(200)
  })
})

describe('what GET answers', () => {
  const multivariate = {
    variants: [
      { key: 'red', name: 'Red', rollout_percentage: 50 },
      { key: 'blue', rollout_percentage: 50 },
    ],
  }
  const FLAGS: readonly object[] = [
    { key: 'plain', filters: { groups: [{}] } },
    { key: 'off', name: 'Off', active: false, deleted: false, filters: { groups: [] } },
    {
      key: 'experiment',
      has_experiment: true,
      filters: { groups: [{ variant: 'red' }], multivariate, payloads: { red: '1' } },
    },
    { key: 'cohort', filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 1 }] }] } },
    {
      key: 'depending',
      filters: {
        groups: [{ properties: [{ key: 'plain', type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
      },
    },
    {
      key: 'company',
      filters: {
        aggregation_group_type_index: 0,
        groups: [
          {
            properties: [{ key: 'size', type: 'group', group_type_index: 0, operator: 'gt', value: 5 }],
            aggregation_group_type_index: 0,
          },
        ],
      },
    },
    {
      key: 'full',
      ensure_experience_continuity: true,
      bucketing_identifier: 'distinct_id',
      evaluation_runtime: 'server',
      evaluation_contexts: ['web'],
      evaluation_tags: ['web'],
      filters: {
        groups: [
          {
            properties: [{ ...PLAN, negation: false, operator: null, type: 'person' }],
            rollout_percentage: 50,
            variant: null,
          },
        ],
        payloads: { true: '{"a":1}' },
        multivariate: null,
        holdout: { id: 3, exclusion_percentage: 5 },
        early_exit: true,
        feature_enrollment: false,
        super_groups: [],
        bucketing_identifier: null,
      },
    },
  ]
  /** As another service of the protocol answers. */
  const FOREIGN = {
    id: 7, key: 'foreign', name: '', active: true, deleted: false, archived: false, version: 3, created_by: null, last_modified_by: null,
    created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', is_simple_flag: true, rollout_percentage: 40,
    ensure_experience_continuity: false, experiment_set: [], experiment_set_metadata: [], surveys: null, features: null, rollback_conditions: [],
    performed_rollback: false, can_edit: true, tags: [], evaluation_contexts: [], usage_dashboard: null, analytics_dashboards: [],
    has_enriched_analytics: false, user_access_level: 'editor', creation_context: 'feature_flags', is_remote_configuration: false,
    has_encrypted_payloads: false, status: 'ACTIVE', evaluation_runtime: 'all', bucketing_identifier: 'distinct_id', last_called_at: null,
    filters: {
      groups: [{ properties: [{ ...PLAN, cohort_name: null, label: 'x' }], rollout_percentage: 40, variant: null, users_affected: null, sort_key: 'x', description: null }],
      payloads: {}, multivariate: null, holdout_groups: null, aggregation_group_type_index: null,
    },
  } // prettier-ignore
  const SURVEYS: readonly object[] = [
    survey({}),
    survey({
      description: 'A', appearance: { anything: 1 }, archived: true, schedule: 'recurring', iteration_count: 2, iteration_frequency_days: 7,
      start_date: '2026-01-01', end_date: '2027-01-01', enable_partial_responses: true, linked_flag_id: 1, translations: { de: { name: 'B' } },
      conditions: {
        url: 'https://a.example', urlMatchType: 'exact', selector: '#a', seenSurveyWaitPeriodInDays: 3, linkedFlagVariant: 'a',
        deviceTypes: ['Mobile'], deviceTypesMatchType: 'exact', events: { repeatedActivation: true, values: [{ name: 'bought' }] },
        cancelEvents: { values: [] }, actions: { values: [{ id: 1, name: 'x', steps: [] }] },
      },
      questions: [
        { ...QUESTION, description: 'd', descriptionContentType: 'text', optional: true, buttonText: 'Go', branching: { type: 'specific_question', index: 1 } },
        { type: 'rating', question: 'b', display: 'number', scale: 5, lowerBoundLabel: 'l', upperBoundLabel: 'u', branching: { type: 'response_based', responseValues: { 1: 'end' } }, skipSubmitButton: true },
        { type: 'single_choice', question: 'c', choices: ['a'], shuffleOptions: true, hasOpenChoice: true, translations: { de: {} } },
        { type: 'link', question: 'd', link: 'https://a.example' },
      ],
    }),
  ] // prettier-ignore
  const COHORTS: readonly object[] = [
    { name: 'All', description: null, is_static: false, filters: { properties: {} } },
    {
      ...withTree(
        { ...PLAN, negation: true, sort_key: 'a' },
        { type: 'AND', sort_key: 'b', values: [{ key: 'id', type: 'cohort', value: 1 }] },
      ),
      deleted: false,
    },
  ]

  it('is taken back by PATCH and POST without a refusal or a warning', async () => {
    const { request } = await openManagement()
    await request('POST', 'groups_types/', { group_type: 'company' })
    for (const body of COHORTS) expect((await request('POST', 'cohorts/', body)).status).toBe(201)
    // With another share, as a client sends it back that changed one condition.
    for (const body of [...FLAGS, FOREIGN, { ...FOREIGN, key: 'changed', rollout_percentage: 90 }]) {
      const { status, body: created } = await request('POST', 'feature_flags/', body)
      expect({ status, warnings: created.warnings, created }).toMatchObject({ status: 201, warnings: undefined })
    }
    for (const body of SURVEYS) expect((await request('POST', 'surveys/', body)).status).toBe(201)
    for (const body of [
      { name: 'One' },
      { name: 'Two', stage: 'beta', description: 'D', payload: { a: 1 }, feature_flag_id: 1 },
    ])
      expect((await request('POST', 'early_access_feature/', body)).status).toBe(201)

    const copies = {
      feature_flags: ['key'],
      cohorts: [],
      surveys: [],
      early_access_feature: ['name', 'feature_flag_id'],
    } as const
    for (const [path, names] of Object.entries(copies)) {
      const { body: list } = await request('GET', `${path}/`)
      expect(list.count).toBeGreaterThan(1)
      for (const item of list.results) {
        const read = (await request('GET', `${path}/${item.id}/`)).body
        expect(read).toEqual(item)
        const changed = await request('PATCH', `${path}/${item.id}/`, read)
        expect({ path, status: changed.status, body: changed.body }).toEqual({ path, status: 200, body: read })
        const unique = Object.fromEntries(
          names.map((name) => [name, name === 'feature_flag_id' ? null : `${read[name]} copy`]),
        )
        const copied = await request('POST', `${path}/`, { ...read, ...unique })
        expect({ path, status: copied.status, warnings: copied.body.warnings }).toEqual({
          path,
          status: 201,
          warnings: undefined,
        })
      }
    }
  })

  it('is taken back as it is where earlier versions stored what is refused now', async () => {
    const { request, metadata, project } = await openManagement()
    const old = {
      key: 'old',
      active: true,
      rollout_percent: 10,
      filters: { groups: [{ percentage: 5, properties: [{ ...PLAN, operater: 'is_not' }] }, {}] },
    } as unknown as NewFlag
    await saveFlags(metadata, project.id, [old], 0)
    await saveCohort(metadata, project.id, 1, withTree({ ...PLAN, negate: true }) as never, 0)
    const id = '00000000-0000-4000-8000-000000000001'
    await saveSurvey(metadata, project.id, id, survey({ startdate: '2026', archived: false }) as never, 0)
    for (const path of ['feature_flags/old/', 'cohorts/1/', `surveys/${id}/`]) {
      const { body } = await request('GET', path)
      for (const sent of [body, {}, { name: 'New' }])
        expect(await request('PATCH', path, sent)).toMatchObject({
          status: 200,
          body: { ...body, ...sent, version: expect.any(Number), updated_at: expect.any(String) },
        })
      expect((await request('PATCH', path, { name: 'Newer' })).body).not.toHaveProperty('warnings')
    }
    const moved = { groups: [{}, ...old.filters.groups] }
    expect((await request('PATCH', 'feature_flags/old/', { filters: moved })).status).toBe(200)
    expect(await request('PATCH', 'feature_flags/old/', { rollout_percent: 20 })).toMatchObject({
      status: 400,
      body: { attr: 'rollout_percent' },
    })
    const changed = { groups: [{ percentage: 6 }] }
    expect(await request('PATCH', 'feature_flags/old/', { filters: changed })).toMatchObject({
      status: 400,
      body: { attr: 'filters.groups[0].percentage' },
    })
  })
})
