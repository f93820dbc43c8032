import * as fc from 'fast-check'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { derivePersonId } from '../../../../../../src/service/persons/person-id.ts'
import type { EventFile } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openDuckDbStore } from '../../../../../../src/service/store/events/duckdb/open-store.ts'
import { findRefusedName } from '../../../../../../src/service/store/events/duckdb/query/find-refused-name.ts'
import { prepareSelect } from '../../../../../../src/service/store/events/duckdb/query/prepare-select.ts'
import { listNodes } from '../../../../../../src/service/store/events/duckdb/query/syntax-tree.ts'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import type { JsonObject } from '../../../../../../src/wire/json.ts'
import { batchOf, select, storedEvent } from '../../../../../contract/service-event-store.ts'
import { openTestEventStore } from '../../../../support/event-store.ts'
import { createTempFolder } from '../../../../support/temp-folder.ts'
import { readError } from './read-error.ts'

const LIMITS = { memoryMb: 256, spillMb: 0, threads: 1 }

/** The only SQL of `prepareSelect` itself that is prepared. */
const PARSE = 'SELECT json_serialize_sql($1::VARCHAR)'

/** One space of each length in UTF-8. */
const SPACES = ['\u00a0', '\u2003', '\u3000', '\ufeff']

describe('SQL of a member', () => {
  let file: EventFile
  let connection: Awaited<ReturnType<EventFile['connect']>>
  beforeEach(async () => {
    const path = join(createTempFolder(), '1.duckdb')
    const store = await openDuckDbStore({ file: path, deriveOriginId: (id) => derivePersonId(1, id), ...LIMITS })
    await store.commit(batchOf([storedEvent(1, { properties: { $x: '1', a: { b: 2 } } })]))
    await store.close()
    file = await openInstance(path, LIMITS)
    connection = await file.connect()
  })
  afterEach(() => {
    connection.closeSync()
    file.closeSync()
  })

  const parse = async (sql: string): Promise<JsonObject> => {
    const reader = await connection.runAndReadAll(PARSE, [sql])
    return JSON.parse(String(reader.getRows()[0]![0])) as JsonObject
  }

  /** Everything that is prepared for a SELECT. */
  const listPrepared = async (sql: string): Promise<readonly string[]> => {
    const prepared: string[] = []
    const recording = new Proxy(connection, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...args: readonly unknown[]): unknown => {
          if (name === 'prepare' && args[0] !== PARSE) prepared.push(String(args[0]))
          return Reflect.apply(member, target, args)
        }
      },
    })
    // What is refused may have been prepared before.
    await prepareSelect(recording, sql, { countedRows: 0 }).catch(() => undefined)
    await connection.run('ROLLBACK').catch(() => undefined)
    return prepared
  }

  const expectAllowed = async (sql: string): Promise<number> => {
    const prepared = await listPrepared(sql)
    for (const text of prepared) {
      const tree = await parse(text)
      expect([sql, text, tree['error'], findRefusedName(tree)]).toEqual([sql, text, false, null])
      expect(listNodes(tree['statements'])).toHaveLength(1)
    }
    return prepared.length
  }

  /** What may not run. Without a quote, because it stands in strings. */
  const forbidden = fc.constantFrom(
    '(SELECT current_setting($$temp_directory$$))',
    '(SELECT count(*) FROM internal.events)',
    '(SELECT string_agg(name, $$,$$) FROM duckdb_settings())',
    '(SELECT count(*) FROM pragma_database_list)',
  )

  it('never runs what a replacement at a wrong place uncovers in a string', async () => {
    const paths = fc.constantFrom('$x\\', '$b.c\\', '$é\\')
    const reads = fc.constantFrom('properties->>', 'properties->', 'e.properties->>')
    await fc.assert(
      fc.asyncProperty(forbidden, paths, reads, fc.constantFrom(...SPACES), async (hidden, path, read, space) => {
        const before = String.raw`E'a\``.slice(0, -1)
        const head = `${before}'${path}' AS s, ${hidden} --' AS s, json_keys(properties), ${read}`
        // The replaced spaces are as many bytes as there are between the path and its copy in the string.
        const distance = Buffer.byteLength(head) - before.length
        const saved = Buffer.byteLength(space) - 1
        const spaces = space.repeat(Math.floor(distance / saved)) + '\u00a0'.repeat(distance % saved)
        expect(await expectAllowed(`SELECT${spaces}${head}'${path}' AS p FROM events e LIMIT 1`)).toBeGreaterThan(0)
      }),
      { numRuns: 60 },
    )
  })

  it('has no name outside of the list in any form in which it is prepared', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "properties->>'$x'",
        "properties->'a'->>'b'",
        "properties->>'a'",
        'json_keys(properties)',
        'count(*)',
        'event',
      ),
      fc.constantFrom(
        "'count(*)'",
        "E'\\'properties->\\'a\\''",
        "$$properties->'a'$$",
        '"$x"',
        "'$x'",
        "E'a'\n'\\'$x'",
        '1 AS "$$"',
      ),
      forbidden.map((hidden) => `'${hidden}'`),
      forbidden.map((hidden) => `E'\\'${hidden}--'`),
      forbidden.map((hidden) => `$é$ ' ${hidden} $é$`),
      forbidden,
    )
    const space = fc.constantFrom(
      ' ',
      '\n',
      ...SPACES,
      "/* ' */",
      "/* /* */ ' */",
      "-- '\n",
      '/* \u2003 */',
      '--\u00a0\n',
    )
    let prepared = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(space, piece, space), { minLength: 1, maxLength: 6 }), async (items) => {
        const list = items.map(([before, item, after]) => before + item + after).join(',')
        prepared += await expectAllowed(`SELECT ${list} FROM events`)
      }),
      { numRuns: 250 },
    )
    expect(prepared).toBeGreaterThan(25)
  })
})

describe('a SELECT with spaces beyond ASCII', () => {
  let store: EventStore
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ store, close } = await openTestEventStore(1))
    const properties = { title: 'a\u00a0b', $title: 'a\u00a0b', in: { title: 'a\u2003b' } }
    await store.commit(batchOf([storedEvent(1, { event: 'a\u00a0b', properties }), storedEvent(2, { event: 'a b' })]))
  })
  afterAll(() => close())

  it.each([
    ["SELECT count(*) FROM events WHERE event = 'a\u00a0b'", [[1]]],
    ["SELECT\u00a0count(*)\u2003FROM events WHERE\u3000event = 'a\u00a0b'", [[1]]],
    ["SELECT event FROM events WHERE properties->>'title' = 'a\u00a0b'", [['a\u00a0b']]],
    ["SELECT\ufeffevent FROM events WHERE (properties->>'$title')\u00a0= 'a\u00a0b'", [['a\u00a0b']]],
    ["SELECT\u00a0json_keys(properties)[1]\u00a0FROM events WHERE (properties->>'$title') = 'a\u00a0b'", [['title']]],
    ["SELECT properties->'in'->>'title' FROM\u00a0events\u00a0WHERE properties->>'title' = 'a\u00a0b'", [['a\u2003b']]],
    ["SELECT /* it's */ event FROM events WHERE event = 'a' || chr(160) || 'b'", [['a\u00a0b']]],
    ['PIVOT\u00a0events ON\u00a0event USING count(*) GROUP BY\u00a0distinct_id', [['ada', 1, 1]]],
  ])('finds its rows: %j', async (sql, rows) => {
    expect(await select(store, sql)).toEqual(rows)
  })

  it.each([
    ["SELECT /* it's */ 'a\u00a0b'", 'U+00A0 (line 1, column 21)', 'chr(160)'],
    ["SELECT 1,\n E'it\\'s\u2003a'", 'U+2003 (line 2, column 9)', 'chr(8195)'],
    ['SELECT /* " */ 1 AS "a\ufeffb"', 'U+FEFF (line 1, column 23)', 'chr(65279)'],
  ])('is refused where DuckDB would change a string: %j', async (sql, place, advice) => {
    const { code, message } = await readError(store, sql)
    expect(code).toBe('invalid')
    expect(message).toContain(place)
    expect(message).toContain(advice)
  })

  it('shows the place of an error behind such spaces', async () => {
    expect((await readError(store, 'SELECT\u00a0\u2003 1 +\u00a0nothing')).message).toContain('(line 1, column 14)')
    expect((await readError(store, 'SELECT\u00a0\u2003 version()')).message).toContain('(line 1, column 10)')
  })

  it('is refused with a NUL, at which DuckDB would end it', async () => {
    const { code, message } = await readError(store, "SELECT 1,\n 'a\0b'")
    expect([code, message]).toEqual(['invalid', 'The query has the character U+0000 (line 2, column 4). Write chr(0).'])
  })
})
