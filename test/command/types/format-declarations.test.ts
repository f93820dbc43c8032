import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import type { TypedFlag } from '../../../src/command/types/flag-types.ts'
import { formatDeclarations } from '../../../src/command/types/format-declarations.ts'

const HEADER = '// Made by "waymark types". Do not change this file: run the command again.\n'

const flag = (key: string, filters: Partial<TypedFlag['filters']> = {}): TypedFlag => ({
  key,
  filters: { groups: [], ...filters },
})

const variants = (...shares: readonly (readonly [key: string, rollout_percentage: number])[]) => ({
  multivariate: { variants: shares.map(([key, rollout_percentage]) => ({ key, rollout_percentage })) },
})

/** The types that the declarations give to flags, by key and interface. */
const typesOf = (...flags: readonly TypedFlag[]): string => formatDeclarations({ events: null, flags })

describe('events', () => {
  it('have any properties, and those of the protocol are left out', () => {
    expect(formatDeclarations({ events: ['signed up', '$pageview', 'opened', 'a"b'], flags: null })).toBe(
      `${HEADER}\ninterface WaymarkEvents {\n  "a\\"b": object\n  "signed up": object\n  opened: object\n}\n`,
    )
  })

  it('are declared once, if two pages of names have one', () => {
    expect(formatDeclarations({ events: ['opened', '', 'paid', 'opened'], flags: null })).toBe(
      `${HEADER}\ninterface WaymarkEvents {\n  opened: object\n  paid: object\n}\n`,
    )
  })

  it('cannot leave their strings', () => {
    const name = 'a: object\n}\ninterface Window { b: 1 */'
    expect(formatDeclarations({ events: [name, '__proto__'], flags: null })).toBe(
      `${HEADER}\ninterface WaymarkEvents {\n  ${JSON.stringify(name)}: object\n  __proto__: object\n}\n`,
    )
  })

  it('without a name leave all names free', () => {
    expect(formatDeclarations({ events: ['$pageview'], flags: null })).toBe(`${HEADER}\ninterface WaymarkEvents {}\n`)
  })
})

describe('flags', () => {
  it('without variants are boolean', () => {
    expect(typesOf(flag('beta'))).toContain('interface WaymarkFlags {\n  beta: boolean\n}\n')
  })

  it('with variants have the key of one, or false', () => {
    expect(typesOf(flag('hero', variants(['calm', 50], ['bold', 50])))).toContain('  hero: "calm" | "bold" | false\n')
  })

  it('whose variants leave room can also be true', () => {
    expect(typesOf(flag('hero', variants(['calm', 50])))).toContain('  hero: "calm" | boolean\n')
  })

  it('of a holdout can have its value', () => {
    const holdout = { id: 7, exclusion_percentage: 10 }
    expect(typesOf(flag('hero', { ...variants(['calm', 100]), holdout }))).toContain(
      '  hero: "calm" | "holdout-7" | false\n',
    )
    expect(typesOf(flag('beta', { holdout }))).toContain('  beta: "holdout-7" | boolean\n')
  })

  it('have the types of their payloads, which may be JSON strings', () => {
    const payloads = { calm: '{"title":"A","size":1}', bold: { title: 'B', tags: ['x', 1] }, loud: 'plain', none: null }
    expect(typesOf(flag('hero', { payloads }), flag('beta'))).toContain(
      'interface WaymarkFlagPayloads {\n  hero: { size: number; title: string } | { tags: (string | number)[]; title: string } | string\n}\n',
    )
  })
})

it('is the same whatever the order of the names', () => {
  const flags = [flag('a'), flag('b', { payloads: { true: '[]' } })]
  expect(formatDeclarations({ events: ['x', 'y'], flags })).toBe(
    formatDeclarations({ events: ['y', 'x'], flags: flags.toReversed() }),
  )
})

it('is TypeScript without errors', () => {
  const payloads = { true: { 'a b': null, c: { d: [] }, e: {}, f: [[1]], g: '\u2028"' } }
  const source = formatDeclarations({
    events: ['signed up', "it's", 'new\nline', 'constructor', 'wäre'],
    flags: [flag('my-flag', { payloads }), flag('`${x}`', variants(['"', 100]))],
  })
  const { diagnostics } = ts.transpileModule(source, { reportDiagnostics: true })
  expect(diagnostics).toEqual([])
})
