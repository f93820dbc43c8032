import { describe, expect, it } from 'vitest'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { RemoteConfig } from '../../src/wire/decide.ts'
import type { Scripted } from '../support/recording-send.ts'
import { decided, fixture } from './flags-fixture.ts'
import type { Fixture } from './flags-fixture.ts'

const CONFIG = '/array/key/config'
const FLAGS = '/flags/?v=2'

/** Answers the config with `config`, everything else with one flag. */
const modern =
  (page: Fixture, config: () => Scripted): Fixture['answer'] =>
  (index) =>
    page.paths()[index] === CONFIG ? config() : [200, { flags: { a: { enabled: true } } }]

/** What a listener is told that comes now. */
const configOf = ({ flags }: Fixture): RemoteConfig | undefined => {
  let told: RemoteConfig | undefined
  flags.onRemoteConfig((config) => {
    told = config
  })()
  return told
}

describe('remote config', () => {
  it('is the decide answer itself, without a further request', async () => {
    const page = fixture()
    page.answer = () =>
      decided(
        { a: true },
        {
          config: { enable_collect_everything: true },
          autocapture_opt_out: true,
          supportedCompression: ['gzip'],
        },
      )
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.paths()).toEqual(['/decide/?v=3'])
    expect(configOf(page)).toEqual({
      config: { enable_collect_everything: true },
      autocapture_opt_out: true,
      supportedCompression: ['gzip'],
    })
    expect(page.flags.supportedCompression()).toEqual(['gzip'])
  })

  it('of the second generation is got once per page, before the flags, whoever asks', async () => {
    const page = fixture({ flagsApi: 'flags' })
    page.answer = modern(page, () => [200, { hasFeatureFlags: true, supportedCompression: ['gzip'] }])
    page.flags.start()
    await Promise.all([page.flags.verbs.reloadFeatureFlags(), page.flags.verbs.reloadFeatureFlags()])
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.paths()).toEqual([CONFIG, FLAGS, FLAGS])
    expect(page.requests[0]!.body).toBe('')
    expect(configOf(page)).toEqual({ hasFeatureFlags: true, supportedCompression: ['gzip'] })
  })

  it('stays in storage, and stands in for one that cannot be loaded', async () => {
    const storage = memoryKeyValue()
    const first = fixture({ flagsApi: 'flags' }, { storage })
    first.answer = modern(first, () => [200, { autocapture_opt_out: true }])
    await first.flags.verbs.reloadFeatureFlags()
    await first.clock.advance(0)

    const second = fixture({ flagsApi: 'flags' }, { storage })
    expect(configOf(second)).toEqual({ autocapture_opt_out: true })
    second.answer = modern(second, () => 500)
    await second.flags.verbs.reloadFeatureFlags()
    expect(configOf(second)).toEqual({ autocapture_opt_out: true })
    expect(second.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    // It is asked for again as long as it was not there.
    second.answer = modern(second, () => [200, { autocapture_opt_out: false }])
    await second.flags.verbs.reloadFeatureFlags()
    expect(configOf(second)).toEqual({ autocapture_opt_out: false })
  })

  it('that the service does not have is asked for once per page', async () => {
    const page = fixture({ flagsApi: 'flags' })
    page.answer = modern(page, () => 404)
    for (let load = 0; load < 3; load++) await page.flags.verbs.reloadFeatureFlags()
    expect(page.paths()).toEqual([CONFIG, FLAGS, FLAGS, FLAGS])
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
  })

  it('that says that there are no flags spares the request for them, and empties them', async () => {
    const storage = memoryKeyValue()
    const page = fixture({ flagsApi: 'flags' }, { storage })
    const heard: unknown[] = []
    page.flags.verbs.onFeatureFlags((flags) => heard.push(flags))
    let config: Scripted = [200, { hasFeatureFlags: false }]
    page.answer = modern(page, () => config)
    await page.flags.verbs.reloadFeatureFlags()
    config = 500
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.paths()).toEqual([CONFIG, CONFIG])
    expect(heard).toEqual([{}, {}])
    config = [200, { hasFeatureFlags: true }]
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
  })

  it('loads no flags at start where the page said so itself', async () => {
    const page = fixture({ flagsApi: 'flags', preloadFeatureFlags: false })
    page.answer = modern(page, () => [200, { hasFeatureFlags: true }])
    page.flags.start()
    await page.clock.advance(1_000)
    expect(page.requests).toEqual([])
  })

  it('is told to listeners when it is known, and after each load', async () => {
    const storage = memoryKeyValue()
    const page = fixture({}, { storage })
    page.answer = () => decided({}, { autocapture_opt_out: true })
    const heard: unknown[] = []
    const leave = page.flags.onRemoteConfig((config) => heard.push(config.autocapture_opt_out))
    expect(heard).toEqual([])
    await page.flags.verbs.reloadFeatureFlags()
    expect(heard).toEqual([true])
    await page.clock.advance(0)
    fixture({}, { storage }).flags.onRemoteConfig((config) => heard.push(['stored', config.autocapture_opt_out]))
    expect(heard).toEqual([true, ['stored', true]])
    leave()
    await page.flags.verbs.reloadFeatureFlags()
    expect(heard).toHaveLength(2)
  })

  it('is cleared by reset, but for how to talk to the service, and loaded again', async () => {
    const page = fixture({ flagsApi: 'flags' })
    page.answer = modern(page, () => [200, { autocapture_opt_out: true, supportedCompression: ['gzip'] }])
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    page.identity = { distinct_id: 'next', groups: {} }
    page.flags.reset()
    expect(configOf(page)).toEqual({ supportedCompression: ['gzip'] })
    await page.clock.advance(0)
    expect(page.paths().slice(2)).toEqual([CONFIG, FLAGS])
    expect(configOf(page)).toMatchObject({ autocapture_opt_out: true })
  })
})
