import * as fc from 'fast-check'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../../../src/wire/json.ts'
import { derivePersonId } from '../../../../../../src/service/persons/person-id.ts'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openDuckDbStore } from '../../../../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { batchOf, select, storedEvent } from '../../../../../contract/service-event-store.ts'
import { createTempFolder } from '../../../../support/temp-folder.ts'

const LIMITS = { memoryMb: 256, spillMb: 16, threads: 1 }

describe('a query on properties', () => {
  let file: string
  let store: EventStore
  const open = () =>
    openDuckDbStore({
      file,
      deriveOriginId: (distinctId) => derivePersonId(1, distinctId),
      ...LIMITS,
    })
  beforeEach(async () => {
    file = join(createTempFolder(), '1.duckdb')
    store = await open()
  })
  afterEach(() => store.close())

  /** Closes the store, changes its file by SQL, and opens it again. */
  const change = async (sql: string): Promise<void> => {
    await store.close()
    const instance = await openInstance(file, LIMITS)
    const connection = await instance.connect()
    await connection.run(sql)
    connection.closeSync()
    instance.closeSync()
    store = await open()
  }

  const EVENTS: readonly JsonObject[] = [
    { $browser: 'Firefox', plan: 'pro', n: 1, $groups: { company: 'a' } },
    { plan: 'free', $browser: 'Chrome', n: -2.5e-7, tags: ['x', { y: null }], $host: null },
    {
      $browser: 'a "quoted" \\ one',
      n: true,
      'a.b': 'dotted',
      plan: { name: 'pro', seats: [1, 2] },
    },
    {},
    { $browser: 7, n: 1e21, plan: '{"name":"text"}', '': 'empty', $os: '' },
    { $browser: { big: [1e21, -2e300], 'e+': '1e+21 \\"e+' }, $host: 'e+' },
  ]
  const storeEvents = () =>
    store.commit(
      batchOf(
        EVENTS.map((properties, n) => storedEvent(n + 1, { properties, distinctId: n % 2 === 0 ? 'ada' : `bob ${n}` })),
        {
          persons: {
            persons: [
              {
                id: derivePersonId(1, 'ada'),
                properties: { plan: 'pro', $browser: 'Opera' },
                createdAt: 0,
                isIdentified: true,
              },
            ],
            distinctIds: new Map([
              ['ada', derivePersonId(1, 'ada')],
              ['bob 1', derivePersonId(1, 'ada')],
            ]),
            groups: [{ type: 'company', key: 'a', properties: { plan: 'team' }, createdAt: 0 }],
          },
        },
      ),
    )

  // The text of the column is changed, so that the result shows where it was read.
  it.each([
    ["SELECT properties->>'$browser' FROM events", ['changed']],
    ["SELECT PROPERTIES ->> '$browser' FROM main.events e", ['changed']],
    ["SELECT json_extract_string(properties, '$browser') FROM events", ['changed']],
    ['SELECT json_extract_string(e.properties, \'$."$browser"\') FROM events AS e', ['changed']],
    ["SELECT json_extract(properties, '$browser') FROM events", ['"changed"']],
    ["WITH e AS (SELECT * FROM events) SELECT x.b FROM (SELECT properties->>'$browser' b FROM e) x", ['changed']],
    ["SELECT b FROM (SELECT properties->>'$browser', 1 FROM events) AS t(b, one)", ['changed']],
    ["SELECT properties->'$browser', e.properties -> '$browser' FROM events e", ['"changed"', '"changed"']],
    ["SELECT f->'$browser' FROM (SELECT properties AS f FROM events)", ['"changed"']],
    [
      "SELECT json_array_length(properties->'$browser') FROM events WHERE (properties->'$browser') = '\"changed\"'",
      [0],
    ],
    ["WITH e AS (SELECT event, properties FROM events) SELECT e.properties->>'$browser' FROM e", ['changed']],
    ["SELECT f->>'$browser' FROM (SELECT g AS f FROM (SELECT properties AS g FROM events))", ['changed']],
    ["SELECT p.properties->>'$browser' || (e.properties->>'$browser') FROM events e, persons p", ['Operachanged']],
    ["SELECT \"$browser\" FROM events WHERE properties->>'$browser' = 'changed'", ['changed']],
    ["SELECT max(properties->>'$browser') OVER () FROM events", ['changed']],
    ["SELECT event FROM events GROUP BY event HAVING count(DISTINCT properties->>'$browser') = 1", ['a']],
    ["SELECT event FROM events ORDER BY properties->>'$browser'", ['a']],
    ["SELECT '\u2003ä', properties->>'$browser' FROM events", ['\u2003ä', 'changed']],
  ])('reads the column: %s', async (sql, expected) => {
    await storeEvents()
    await change("UPDATE internal.events SET p3 = 'changed'; DELETE FROM internal.events WHERE p3 IS NULL OR rowid > 0")
    expect(await select(store, sql)).toEqual([expected])
  })

  /** A condition that is always true, and for which the query needs all properties as JSON. */
  const NEEDS_JSON = '(SELECT bool_and(properties IS NOT NULL) FROM events)'

  it('returns the same from columns as from JSON', async () => {
    await storeEvents()
    const keys = ['$browser', 'plan', 'n', 'tags', 'a.b', '$groups', '$os', '$host', 'Plan', 'nothing']
    const paths = [
      ...keys,
      '$.plan',
      '$.plan.name',
      '$.plan.seats[1]',
      '/plan/name',
      '$.tags[1].y',
      '/tags/1',
      '$.$host',
    ]
    const reads = paths.flatMap((path) =>
      ['json_extract_string', 'json_extract', 'json_type'].map((name) => `${name}(properties, '${path}')`),
    )
    for (const read of reads) {
      const sql = `SELECT uuid, ${read} AS value FROM events`
      const [fromColumns, fromJson] = [
        await select(store, `${sql} ORDER BY uuid`),
        await select(store, `${sql} WHERE ${NEEDS_JSON} ORDER BY uuid`),
      ]
      expect(fromColumns, read).toEqual(fromJson)
    }
  }, 60_000)

  it.each([
    "WITH e AS (SELECT uuid, properties FROM events) SELECT *, properties->>'plan' FROM e",
    "WITH e AS (SELECT uuid, properties AS f FROM events) SELECT uuid, f, f->>'plan', json_type(f, 'n') FROM e",
    "WITH e AS MATERIALIZED (SELECT uuid, properties f FROM events) SELECT uuid, a.f->>'n', b.f FROM e a JOIN e b USING (uuid)",
    "SELECT e.uuid, s.f->>'n', s.f FROM events e, LATERAL (SELECT e.properties AS f) AS s",
    "SELECT uuid, f->>'n' FROM (SELECT uuid, properties AS f FROM events WHERE f->>'plan' > '')",
    "WITH events AS (SELECT uuid, properties FROM events LIMIT 3) SELECT uuid, properties->>'n' FROM events",
  ])('returns the same when properties pass through another SELECT: %s', async (sql) => {
    await storeEvents()
    const query = (text: string) => store.query({ sql: text, timeoutMs: 10_000, maxRows: 10 })
    const result = await query(`${sql} ORDER BY uuid`)
    expect(result).toEqual(await query(`SELECT * FROM (${sql}) WHERE ${NEEDS_JSON} ORDER BY uuid`))
    expect(result.rows.length).toBeGreaterThan(1)
  })

  it.each([
    "properties->'plan', events.properties -> '$.plan.name', \"properties\"->'/plan/seats/0'",
    "properties->'plan'->'name', properties->'plan'->>'name', properties -> 'plan'\n->> 'name' AS name",
    "properties->'plan'->'seats'->0, properties->'plan'->'seats'->'0', (properties->'tags')->'$[1]'->>'y'",
    "properties->'a.b', properties->'$groups'->>'company', properties->'nothing'->>'x', properties->'$'->>'plan'",
    "json_array_length(properties->'tags'), list_transform([1], x -> 'n')",
    "properties->'*'->>'x', properties->'plan'->'seats', properties->'/plan/seats', alias(properties->'plan')",
    "json_extract_path(properties, 'plan'), properties->'plan', properties->'n', coalesce(properties->'n', properties->'tags') AS v",
  ])('returns the same for -> as from JSON: %s', async (items) => {
    await storeEvents()
    const query = (condition: string) =>
      store.query({
        sql: `SELECT ${items} FROM events WHERE ${condition} ORDER BY uuid`,
        timeoutMs: 10_000,
        maxRows: 10,
      })
    const result = await query('true')
    expect(result).toEqual(await query(NEEDS_JSON))
    expect(result.rows).toHaveLength(EVENTS.length)
  })

  it('keeps the names and types of the result', async () => {
    await storeEvents()
    const sql = `SELECT properties->>'$browser', json_extract(properties, 'plan'), json_extract_string(properties, 'n') AS "N", *
      FROM events ORDER BY uuid LIMIT 1`
    const { columns, types } = await store.query({ sql, timeoutMs: 10_000, maxRows: 1 })
    expect(columns.slice(0, 11)).toEqual([
      "(properties ->> '$browser')",
      "json_extract(properties, 'plan')",
      'N',
      'uuid',
      'event',
      'distinct_id',
      'person_id',
      'timestamp',
      'received_at',
      'historical',
      'properties',
    ])
    expect(types.slice(0, 11)).toEqual([
      'VARCHAR',
      'JSON',
      'VARCHAR',
      'UUID',
      'VARCHAR',
      'VARCHAR',
      'UUID',
      'TIMESTAMP WITH TIME ZONE',
      'TIMESTAMP WITH TIME ZONE',
      'BOOLEAN',
      'JSON',
    ])
  })

  it('returns all columns of the rows with their persons, whether or not the SQL names them', async () => {
    await storeEvents()
    const all = await select(store, 'SELECT * FROM events ORDER BY uuid')
    // But for the spelling of numbers: 1e21 may have been 1e+21.
    const properties = all.map((row) => JSON.stringify(JSON.parse(String((row as unknown[])[7]))))
    expect(properties).toEqual(EVENTS.map((event) => JSON.stringify(event)))
    expect(all.map((row) => (row as unknown[]).slice(2, 4))).toEqual([
      ['ada', derivePersonId(1, 'ada')],
      ['bob 1', derivePersonId(1, 'ada')],
      ['ada', derivePersonId(1, 'ada')],
      ['bob 3', derivePersonId(1, 'bob 3')],
      ['ada', derivePersonId(1, 'ada')],
      ['bob 5', derivePersonId(1, 'bob 5')],
    ])
    expect(await select(store, `SELECT * FROM events WHERE ${NEEDS_JSON} ORDER BY uuid`)).toEqual(all)
    expect(await select(store, 'FROM events WHERE person_id IS NOT NULL ORDER BY uuid')).toEqual(all)
    expect(await select(store, 'SELECT e.* FROM persons p LEFT JOIN events e ON false')).toEqual(
      [all[0]!].map((row) => (row as unknown[]).map(() => null)),
    )
  })

  it('reads the properties of groups', async () => {
    await storeEvents()
    expect(await select(store, "SELECT properties->>'plan', * FROM groups")).toEqual([
      ['team', 'company', 'a', '{"plan":"team"}', '1970-01-01T00:00:00.000Z'],
    ])
  })

  it('refuses what is forbidden on these views, too', async () => {
    await expect(select(store, "SELECT properties->>'a', getenv('HOME') FROM events")).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(select(store, "SELECT properties->>'a' FROM events, internal.events")).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  it.each([
    "SELECT person_number, properties->>'a' FROM events",
    `SELECT person_number FROM events WHERE ${NEEDS_JSON}`,
  ])('has no numbers of persons: %s', async (sql) => {
    await expect(select(store, sql)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('person_number'),
    })
  })

  it('names the mistake in SQL that cannot be bound', async () => {
    await expect(select(store, "SELECT properties->>'a', nothing FROM events")).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('nothing'),
    })
  })

  it.each(['hour', 'day', 'week', 'month', 'quarter', 'year', 'microseconds'])(
    'cuts times to the %s in UTC, like the function that it replaces',
    async (part) => {
      const times = ['1969-12-31T23:59:59.999Z', '2024-02-29T12:34:56.789Z', '2026-11-22T23:00:00.000Z']
      const events = times.map((time, n) => storedEvent(n + 1, { timestamp: Date.parse(time) }))
      await store.commit(batchOf(events))
      const items = `date_trunc('${part}', timestamp), datetrunc('${part}', timestamp::TIMESTAMP),
        DATE_TRUNC('${part}', DATE '2024-02-29'), date_trunc('${part}', INTERVAL 100 DAY),
        isinf(date_trunc('${part}', nullif(timestamp, timestamp))), isinf(date_trunc('${part}', 'infinity'::TIMESTAMPTZ))`
      const query = (sql: string) => store.query({ sql, timeoutMs: 10_000, maxRows: 10 })
      const fast = await query(`SELECT ${items} FROM events ORDER BY ALL`)
      expect(fast).toEqual(await query(`SELECT ${items} FROM events WHERE ${NEEDS_JSON} ORDER BY ALL`))
      expect(fast.rows).toHaveLength(3)
    },
  )

  it('names a property such as $browser as it is, also beside paths that are not constant', async () => {
    await storeEvents()
    expect(
      await select(
        store,
        `SELECT properties->>'$browser', json_extract_string(properties, lower('PLAN')), json_extract(properties, '$host')
          FROM events WHERE ${NEEDS_JSON} ORDER BY uuid LIMIT 2`,
      ),
    ).toEqual([
      ['Firefox', 'pro', null],
      ['Chrome', 'free', 'null'],
    ])
  })

  it.each([
    ["properties->'plan', properties->>'$browser'", ['"pro"', 'Firefox']],
    ["properties->'$browser'", ['"Firefox"']],
    ["e.properties->'$groups'->>'company'", ['a']],
    ["json_exists(properties, '$browser')", [true]],
    ["json_extract_string(properties, ['$browser', 'plan'])", [['Firefox', 'pro']]],
    ["properties->>'$feature/x', properties->>'$a''b', properties->>'$current_url'", ['on', 'quoted', 'https://x/']],
    ["properties->'$feature/x', properties->'$a''b', '$feature/x'", ['"on"', '"quoted"', '$feature/x']],
  ])('names such a property as it is in: %s', async (items, expected) => {
    const properties = { ...EVENTS[0], '$feature/x': 'on', "$a'b": 'quoted', $current_url: 'https://x/' }
    await store.commit(batchOf([storedEvent(1, { properties })]))
    const { rows } = await store.query({ sql: `SELECT ${items} FROM events e`, timeoutMs: 10_000, maxRows: 1 })
    expect(rows[0]).toEqual(expected)
  })

  it('keeps the names of columns in which a path was repaired', async () => {
    const sql = "SELECT properties->'$browser', json_keys(properties) FROM events"
    const { columns } = await store.query({ sql, timeoutMs: 10_000, maxRows: 1 })
    expect(columns).toEqual(["(properties -> '$browser')", 'json_keys(properties)'])
  })

  it('says how to name such a property where the path is computed', async () => {
    await storeEvents()
    await expect(select(store, "SELECT properties->>('$bro' || 'wser') FROM events")).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(`'$."$name"'`),
    })
  })

  it('says where parentheses are missing', async () => {
    await storeEvents()
    const sql = "SELECT 1 FROM events WHERE properties->>'plan' = 'pro' AND properties->>'$browser' = 'x'"
    await expect(select(store, sql)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining("(properties->>'plan') = 'pro'"),
    })
  })

  it('puts the properties of any event together again', async () => {
    const name = fc.oneof(
      fc.constantFrom('$browser', '$os', 'plan', 'n', '__proto__', '{0}', 'a"b', 'ü\n'),
      fc.string(),
    )
    let count = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 30 }), {
          minLength: 1,
          maxLength: 20,
        }),
        async (list) => {
          const first = count + 1
          // As they come from a request.
          const events = list.map((properties) =>
            storedEvent((count += 1), {
              properties: JSON.parse(JSON.stringify(properties)) as JsonObject,
            }),
          )
          await store.commit(batchOf(events))
          const rows = await select(
            store,
            `SELECT properties FROM events WHERE uuid >= '${storedEvent(first).uuid}' ORDER BY uuid`,
          )
          expect(rows.map((row) => JSON.parse(String((row as unknown[])[0])))).toEqual(
            events.map(({ properties }) => properties),
          )
          expect(rows.map((row) => Object.keys(JSON.parse(String((row as unknown[])[0]))))).toEqual(
            events.map(({ properties }) => Object.keys(properties)),
          )
        },
      ),
      { numRuns: 25 },
    )
  }, 60_000)
})
