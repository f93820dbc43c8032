import { describe, expect, it } from 'vitest'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { FlagSnapshot } from '../../src/flags/flag-snapshot.ts'
import type { RemoteConfig } from '../../src/wire/decide.ts'
import type { ScriptedResponse } from '../support/recording-send.ts'
import { createDecideResponse, createFixture } from './flags-fixture.ts'
import type { FlagsFixture } from './flags-fixture.ts'

const CONFIG = '/array/key/config'
const FLAGS = '/flags/?v=2'

/** Responds to config requests with `config` and to all others with one flag. */
const respondWithConfig =
  (page: FlagsFixture, config: () => ScriptedResponse | Promise<ScriptedResponse>): FlagsFixture['respond'] =>
  (index) =>
    page.paths()[index] === CONFIG ? config() : [200, { flags: { a: { enabled: true } } }]

/** Reads the remote config of the stored snapshot; the snapshot is written at the end of the turn. */
const readStoredConfig = async ({ clock, storage }: FlagsFixture): Promise<RemoteConfig | undefined> => {
  await clock.advance(0)
  return (JSON.parse(storage.get('flags') ?? '{}') as FlagSnapshot).config
}

describe('remote config', () => {
  it('is read from the decide response, without another request', async () => {
    const page = createFixture()
    page.respond = () =>
      createDecideResponse(
        { a: true },
        {
          config: { enable_collect_everything: true },
          autocapture_opt_out: true,
          supportedCompression: ['gzip'],
        },
      )
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.paths()).toEqual(['/decide/?v=3'])
    expect(await readStoredConfig(page)).toEqual({
      config: { enable_collect_everything: true },
      autocapture_opt_out: true,
      supportedCompression: ['gzip'],
    })
    expect(page.flags.supportedCompression()).toEqual(['gzip'])
  })

  it('is loaded once per page, before the flags, with flagsApi "flags"', async () => {
    const page = createFixture({ flagsApi: 'flags' })
    page.respond = respondWithConfig(page, () => [200, { hasFeatureFlags: true, supportedCompression: ['gzip'] }])
    page.flags.start()
    await Promise.all([page.flags.verbs.reloadFeatureFlags(), page.flags.verbs.reloadFeatureFlags()])
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.paths()).toEqual([CONFIG, FLAGS, FLAGS])
    expect(page.requests[0]!.body).toBe('')
    expect(await readStoredConfig(page)).toEqual({ hasFeatureFlags: true, supportedCompression: ['gzip'] })
  })

  it('is read from storage when it cannot be loaded', async () => {
    const storage = createMemoryKeyValue()
    const firstPage = createFixture({ flagsApi: 'flags' }, { storage })
    const config = { autocapture_opt_out: true, supportedCompression: ['gzip'] }
    firstPage.respond = respondWithConfig(firstPage, () => [200, config])
    await firstPage.flags.verbs.reloadFeatureFlags()
    await firstPage.clock.advance(0)

    const secondPage = createFixture({ flagsApi: 'flags' }, { storage })
    expect(secondPage.flags.supportedCompression()).toEqual(['gzip'])
    expect(await readStoredConfig(secondPage)).toEqual(config)
    secondPage.respond = respondWithConfig(secondPage, () => 500)
    await secondPage.flags.verbs.reloadFeatureFlags()
    expect(secondPage.flags.supportedCompression()).toEqual(['gzip'])
    expect(await readStoredConfig(secondPage)).toEqual(config)
    expect(secondPage.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    // It is requested again until a request succeeds.
    secondPage.respond = respondWithConfig(secondPage, () => [200, { ...config, autocapture_opt_out: false }])
    await secondPage.flags.verbs.reloadFeatureFlags()
    expect(await readStoredConfig(secondPage)).toEqual({ ...config, autocapture_opt_out: false })
  })

  it('is requested only once per page when the service responds 404', async () => {
    const page = createFixture({ flagsApi: 'flags' })
    page.respond = respondWithConfig(page, () => 404)
    for (let load = 0; load < 3; load++) await page.flags.verbs.reloadFeatureFlags()
    expect(page.paths()).toEqual([CONFIG, FLAGS, FLAGS, FLAGS])
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
  })

  it('clears the flags and prevents their request when the project has no flags', async () => {
    const storage = createMemoryKeyValue()
    const page = createFixture({ flagsApi: 'flags' }, { storage })
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((flags) => received.push(flags))
    let config: ScriptedResponse = [200, { hasFeatureFlags: false }]
    page.respond = respondWithConfig(page, () => config)
    await page.flags.verbs.reloadFeatureFlags()
    config = 500
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.paths()).toEqual([CONFIG, CONFIG])
    expect(received).toEqual([{}, {}])
    config = [200, { hasFeatureFlags: true }]
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
  })

  it('is not loaded at start when preloadFeatureFlags is false', async () => {
    const page = createFixture({ flagsApi: 'flags', preloadFeatureFlags: false })
    page.respond = respondWithConfig(page, () => [200, { hasFeatureFlags: true }])
    page.flags.start()
    await page.clock.advance(1_000)
    expect(page.requests).toEqual([])
  })

  it('is cleared by reset, except supportedCompression, and loaded again', async () => {
    const page = createFixture({ flagsApi: 'flags' })
    page.respond = respondWithConfig(page, () => [200, { autocapture_opt_out: true, supportedCompression: ['gzip'] }])
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    let respond = (_response: ScriptedResponse): void => {}
    page.respond = respondWithConfig(page, () => new Promise((resolve) => (respond = resolve)))
    page.identity = { distinct_id: 'next', groups: {} }
    page.flags.reset()
    expect(page.flags.supportedCompression()).toEqual(['gzip'])
    expect(await readStoredConfig(page)).toEqual({ supportedCompression: ['gzip'] })
    respond([200, { autocapture_opt_out: true, supportedCompression: ['gzip'] }])
    await page.clock.advance(0)
    expect(page.paths().slice(2)).toEqual([CONFIG, FLAGS])
    expect(await readStoredConfig(page)).toMatchObject({ autocapture_opt_out: true })
  })
})
