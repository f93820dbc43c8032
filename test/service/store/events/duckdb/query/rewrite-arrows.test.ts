import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { rewriteArrows } from '../../../../../../src/service/store/events/duckdb/query/rewrite-arrows.ts'

describe('arrows in SQL', () => {
  let instance: Awaited<ReturnType<typeof openInstance>>
  beforeAll(async () => {
    instance = await openInstance(':memory:', { memoryMb: 128, spillMb: 0, threads: 1 })
  })
  afterAll(() => instance.closeSync())

  const rewrite = async (sql: string) => {
    const connection = await instance.connect()
    try {
      const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
      return rewriteArrows(sql, JSON.parse(String(reader.getRows()[0]![0])))
    } finally {
      connection.closeSync()
    }
  }

  it.each([
    ["SELECT properties->'a' FROM events", "SELECT json_extract_path(properties, 'a') FROM events"],
    ["SELECT 'ü', Properties -> '$.a.b' FROM events", "SELECT 'ü', json_extract_path(Properties, '$.a.b') FROM events"],
    [
      "SELECT e.properties->'a'->>'b' FROM events e",
      "SELECT json_extract_path_text(e.properties, '/a/b') FROM events e",
    ],
    ["SELECT \"properties\"\n->'$a' ->'it''s'", "SELECT json_extract_path(\"properties\", '/$a/it''s')"],
    [
      "SELECT f->'x' FROM (SELECT properties AS f FROM events) WHERE f->'y'->>'z' > ''",
      "SELECT json_extract_path(f, 'x') FROM (SELECT properties AS f FROM events) WHERE json_extract_path_text(f, '/y/z') > ''",
    ],
    [
      "SELECT list_transform([properties->'a'], x -> lower(x))",
      "SELECT list_transform([json_extract_path(properties, 'a')], x -> lower(x))",
    ],
  ])('are calls instead: %s', async (sql, expected) => {
    expect((await rewrite(sql))?.sql).toBe(expected)
  })

  it.each([
    "SELECT properties->>'a' FROM events",
    "SELECT other->'a' FROM events",
    "SELECT list_transform([1], properties -> 'a')",
    "SELECT properties->lower('A')",
    'SELECT properties->0',
    "SELECT properties->'a'->'0'",
    "SELECT properties->'$.a'->'b'",
    "SELECT properties /* , */ -> 'a'",
    "SELECT properties->E'a'",
    "SELECT properties->'*'->'a'",
    "SELECT properties->'a', Json_Extract_Path(properties, 'a')",
    "SELECT properties->'a', 1 AS \"json_extract_path(properties, 'a')\"",
    "SELECT properties->'a' FROM events UNION ALL BY NAME SELECT 1 AS \"(properties -> 'a')\"",
    "SELECT properties->'a'->'b', properties->'/a/b'",
  ])('stay: %s', async (sql) => {
    expect(await rewrite(sql)).toBeNull()
  })

  it('give thousands of columns their names at once', async () => {
    const count = 3_000
    const rewritten = await rewrite(`SELECT ${Array.from({ length: count }, (_, i) => `properties->'${i}'`).join()}`)
    const names = Array.from({ length: count }, (_, i) =>
      rewritten!.restoreName(`json_extract_path(properties, '${i}')`),
    )
    expect(names.at(-1)).toBe(`(properties -> '${count - 1}')`)
  })

  it('give columns the names that they had', async () => {
    const rewritten = await rewrite(
      "SELECT properties->'$a.b', e.properties->'a'->>'it''s', lower(properties->'x') FROM events e",
    )
    const names = [
      "json_extract_path(properties, '$a.b')",
      "json_extract_path_text(e.properties, '/a/it''s')",
      "lower(json_extract_path(properties, 'x'))",
      "json_extract_path(properties, 'other')",
    ]
    expect(names.map((name) => rewritten!.restoreName(name))).toEqual([
      "(properties -> '$a.b')",
      "((e.properties -> 'a') ->> 'it''s')",
      "lower((properties -> 'x'))",
      "json_extract_path(properties, 'other')",
    ])
  })
})
