import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { replaceUnicodeSpaces } from '../../../../../../src/service/store/events/duckdb/query/replace-unicode-spaces.ts'

describe('spaces beyond ASCII in SQL', () => {
  let instance: Awaited<ReturnType<typeof openInstance>>
  let connection: Awaited<ReturnType<typeof instance.connect>>
  beforeAll(async () => {
    instance = await openInstance(':memory:', { memoryMb: 128, spillMb: 0, threads: 1 })
    connection = await instance.connect()
  })
  afterAll(() => {
    connection.closeSync()
    instance.closeSync()
  })

  /** What DuckDB parses: with values of strings, and with places. */
  const parse = async (sql: string): Promise<string> => {
    const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
    return String(reader.getRows()[0]![0])
  }

  it('are those of DuckDB, and no others', async () => {
    const replaced: number[] = []
    for (let code = 0x80; code < 0x10000; code++) {
      const sql = `SELECT${String.fromCharCode(code)}1`
      if (replaceUnicodeSpaces(sql).places.length > 0) replaced.push(code)
    }
    const others = [
      0x80, 0x85, 0xa1, 0xad, 0x1680, 0x180e, 0x200c, 0x200d, 0x200e, 0x2028, 0x2029, 0x2061, 0x3164, 0xfe0f,
    ]
    for (const code of [...replaced, ...others]) {
      const isSpace = JSON.parse(await parse(`SELECT${String.fromCharCode(code)}1`)).error === false
      expect([code, isSpace]).toEqual([code, replaced.includes(code)])
    }
    expect(replaced).toContain(0xa0)
  })

  /** Characters of strings and comments. */
  const inside = (...refused: readonly string[]) =>
    fc
      .array(
        fc.constantFrom(
          'a',
          ' ',
          '\n',
          "'",
          "''",
          '"',
          '$',
          '$$',
          '$t$',
          '$é$',
          '--',
          '/*',
          '*/',
          '\\',
          '\\\\',
          'é',
          '\u00a0',
          '\u2003',
          '\u3000',
          '\u2060',
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.join(''))
      .filter((text) => !refused.some((part) => text.includes(part)))
  const space = fc.oneof(
    fc.constantFrom(' ', '\n', '\u00a0', '\u2009', '\u200b', '\ufeff'),
    inside('/*', '*/').map((text) => `/*${text}*/`),
    inside('\n').map((text) => `--${text}\n`),
  )
  const value = fc.oneof(
    inside("'").map((text) => `'${text.replaceAll("'", "''")}'`),
    inside().map((text) => `'${text.replaceAll("'", "''")}'`),
    inside('\\', "'").map((text) => `E'${text}\\'${text}'`),
    inside('$').map((text) => `$$${text}$$`),
    inside('$t$', '$').map((text) => `$t$${text}$t$`),
    inside('$').map((text) => `$_é$${text}$_é$`),
    inside('"').map((text) => `1 AS "${text}x"`),
    fc.constantFrom('1', '$a', '$$x$$a', '$t$x$t$t$y$t$', 'é$x', '2-1'),
  )
  const select = fc
    .array(fc.tuple(space, value, space), { minLength: 1, maxLength: 6 })
    .map((items) => `SELECT${items.map(([before, item, after]) => `${before}${item}${after}`).join(',')}`)

  it('leave nothing for DuckDB to replace, and change nothing else', async () => {
    let parsed = 0
    await fc.assert(
      fc.asyncProperty(select, async (sql) => {
        const plain = replaceUnicodeSpaces(sql)
        expect(plain.sql).toHaveLength(sql.length)
        const written = await parse(sql)
        // A space that only one of the two replaces moves the places behind it, or changes a string.
        expect(await parse(plain.sql)).toBe(written)
        expect(replaceUnicodeSpaces(plain.sql).places).toEqual([])
        if (written.startsWith('{"error":false')) parsed += 1
      }),
      { numRuns: 800 },
    )
    expect(parsed).toBeGreaterThan(250)
  })

  it.each([
    'SELECT 1\u00a0',
    'SELECT 1,\u2003',
    "SELECT 'a\u00a0",
    '\u00a0',
    '\ufeffSELECT 1',
    'SELECT $a\u00a0b $c',
    'SELECT 1 --\u00a0',
  ])('are replaced as in DuckDB at an edge: %j', async (sql) => {
    expect(await parse(replaceUnicodeSpaces(sql).sql)).toBe(await parse(sql))
  })
})
