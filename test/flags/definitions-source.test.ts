import { describe, expect, it } from 'vitest'
import { createDefinitionsSource } from '../../src/flags/definitions-source.ts'
import type { DefinitionsSource, DefinitionsOptions } from '../../src/flags/definitions-source.ts'
import { recordingSend } from '../support/recording-send.ts'
import type { RecordingSend, ScriptedResponse } from '../support/recording-send.ts'

const FIRST = { flags: [{ id: 1, key: 'a', active: true, filters: { groups: [] } }] }
const OTHER = { flags: [] }

const createSource = (
  options: DefinitionsOptions,
  responses: readonly ScriptedResponse[] = [],
): { definitions: DefinitionsSource; network: RecordingSend; warnings: string[] } => {
  const warnings: string[] = []
  const network = recordingSend((_request, index) => responses[index] ?? 500)
  const definitions = createDefinitionsSource(options, network.send, 10_000, (message) => warnings.push(message))
  return { definitions, network, warnings }
}

describe('definitions source', () => {
  it('uses the definitions of the page at once and without a request', async () => {
    const { definitions, network, warnings } = createSource({ definitions: FIRST })
    expect(definitions.getDefinitions()).toBe(FIRST)
    expect(definitions.isLoaded()).toBe(true)
    expect(await definitions.load()).toBe(false)
    expect(network.requests).toEqual([])
    expect(warnings).toEqual([])
  })

  it('replaces them with those from the URL, loaded by GET', async () => {
    const { definitions, network } = createSource({ definitions: OTHER, definitionsUrl: '/flags.json' }, [[200, FIRST]])
    expect(definitions.isLoaded()).toBe(false)
    expect(await definitions.load()).toBe(true)
    expect(definitions.getDefinitions()).toEqual(FIRST)
    expect(definitions.isLoaded()).toBe(true)
    expect(network.requests).toMatchObject([{ url: '/flags.json', body: '', timeoutMs: 10_000 }])
  })

  it('keeps the same object while the body is the same or the status is 304', async () => {
    const { definitions, warnings } = createSource({ definitionsUrl: '/f' }, [
      [200, FIRST],
      [200, FIRST],
      304,
      [200, FIRST],
      [200, OTHER],
    ])
    await definitions.load()
    const first = definitions.getDefinitions()
    // The same body, 304 without a body, the same body again.
    for (let i = 0; i < 3; i++) expect(await definitions.load()).toBe(false)
    expect(definitions.getDefinitions()).toBe(first)
    expect(await definitions.load()).toBe(true)
    expect(definitions.getDefinitions()).toEqual(OTHER)
    expect(warnings).toEqual([])
  })

  it.each<[string, ScriptedResponse]>([
    ['status 404', 404],
    ['no response, or a redirect', 0],
    ['the body has no "flags" array', [200, '<html>']],
    ['the body has no "flags" array', [200, 'null']],
    ['the body has no "flags" array', [200, { flags: {} }]],
  ])('keeps them after a failed load and warns once until it works again (%s)', async (reason, bad) => {
    const { definitions, warnings } = createSource({ definitionsUrl: '/f' }, [
      [200, FIRST],
      bad,
      bad,
      [200, FIRST],
      bad,
    ])
    await definitions.load()
    expect(await definitions.load()).toBe(false)
    expect(definitions.getDefinitions()).toEqual(FIRST)
    expect(definitions.isLoaded()).toBe(false)
    expect(definitions.hasFailed()).toBe(true)
    await definitions.load()
    expect(warnings).toEqual([`flag definitions not loaded from /f: ${reason}`])
    await definitions.load()
    expect(definitions.isLoaded()).toBe(true)
    expect(definitions.hasFailed()).toBe(false)
    await definitions.load()
    expect(warnings).toHaveLength(2)
  })

  it('ignores invalid definitions of the page with a warning', () => {
    const { definitions, warnings } = createSource({ definitions: 'flags' as never })
    expect(definitions.getDefinitions()).toBeUndefined()
    expect(warnings).toEqual(['bootstrap.definitions ignored: they have no "flags" array'])
  })

  it('does not accept 304 for the first load', async () => {
    const { definitions, warnings } = createSource({ definitionsUrl: '/f' }, [304])
    await definitions.load()
    expect(definitions.getDefinitions()).toBeUndefined()
    expect(warnings).toEqual(['flag definitions not loaded from /f: status 304'])
  })
})
