import { describe, expect, it } from 'vitest'
import { createDefinitions } from '../../src/flags/definitions.ts'
import type { Definitions, DefinitionsOptions } from '../../src/flags/definitions.ts'
import { recordingSend } from '../support/recording-send.ts'
import type { RecordingSend, Scripted } from '../support/recording-send.ts'

const FIRST = { flags: [{ id: 1, key: 'a', active: true, filters: { groups: [] } }] }
const OTHER = { flags: [] }

const start = (
  options: DefinitionsOptions,
  answers: readonly Scripted[] = [],
): { definitions: Definitions; network: RecordingSend; warnings: string[] } => {
  const warnings: string[] = []
  const network = recordingSend((_request, index) => answers[index] ?? 500)
  const definitions = createDefinitions(options, network.send, 10_000, (message) => warnings.push(message))
  return { definitions, network, warnings }
}

describe('definitions', () => {
  it('are those of the page, at once and without a request', async () => {
    const { definitions, network, warnings } = start({ definitions: FIRST })
    expect(definitions.current()).toBe(FIRST)
    expect(definitions.isLoaded()).toBe(true)
    expect(await definitions.load()).toBe(false)
    expect(network.requests).toEqual([])
    expect(warnings).toEqual([])
  })

  it('are read from the address by GET and take the place of the page’s', async () => {
    const { definitions, network } = start({ definitions: OTHER, definitionsUrl: '/flags.json' }, [[200, FIRST]])
    expect(definitions.isLoaded()).toBe(false)
    expect(await definitions.load()).toBe(true)
    expect(definitions.current()).toEqual(FIRST)
    expect(definitions.isLoaded()).toBe(true)
    expect(network.requests).toMatchObject([{ url: '/flags.json', body: '', timeoutMs: 10_000 }])
  })

  it('stay the same object while the answer is the same text, or 304', async () => {
    const { definitions, warnings } = start({ definitionsUrl: '/f' }, [
      [200, FIRST],
      [200, FIRST],
      304,
      [200, FIRST],
      [200, OTHER],
    ])
    await definitions.load()
    const first = definitions.current()
    // The same text, 304 without a body, the same text again.
    for (let i = 0; i < 3; i++) expect(await definitions.load()).toBe(false)
    expect(definitions.current()).toBe(first)
    expect(await definitions.load()).toBe(true)
    expect(definitions.current()).toEqual(OTHER)
    expect(warnings).toEqual([])
  })

  it.each<[string, Scripted]>([
    ['status 404', 404],
    ['no answer, or a redirect', 0],
    ['no flag definitions', [200, '<html>']],
    ['no flag definitions', [200, 'null']],
    ['no flag definitions', [200, { flags: {} }]],
  ])('stay when the answer is none (%s), and one warning tells of it until it works again', async (why, bad) => {
    const { definitions, warnings } = start({ definitionsUrl: '/f' }, [[200, FIRST], bad, bad, [200, FIRST], bad])
    await definitions.load()
    expect(await definitions.load()).toBe(false)
    expect(definitions.current()).toEqual(FIRST)
    expect(definitions.isLoaded()).toBe(false)
    expect(definitions.hasFailed()).toBe(true)
    await definitions.load()
    expect(warnings).toEqual([`flag definitions not loaded from /f: ${why}`])
    await definitions.load()
    expect(definitions.isLoaded()).toBe(true)
    expect(definitions.hasFailed()).toBe(false)
    await definitions.load()
    expect(warnings).toHaveLength(2)
  })

  it('of the page that are none are ignored with a warning', () => {
    const { definitions, warnings } = start({ definitions: 'flags' as never })
    expect(definitions.current()).toBeUndefined()
    expect(warnings).toEqual(['bootstrap.definitions ignored: no flag definitions'])
  })

  it('do not come from a 304 that nothing came before', async () => {
    const { definitions, warnings } = start({ definitionsUrl: '/f' }, [304])
    await definitions.load()
    expect(definitions.current()).toBeUndefined()
    expect(warnings).toEqual(['flag definitions not loaded from /f: status 304'])
  })
})
