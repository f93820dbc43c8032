import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { rollup } from 'rollup'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EvaluateOptions, Waymark } from '../../src/entry/evaluate.ts'
import type { FlagDefinition, FlagDefinitions } from '../../src/wire/definition.ts'
import { launch } from '../support/browser.ts'
import { startJourneyService } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { startSite } from '../support/site.ts'
import type { Site, SiteFile } from '../support/site.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

declare const waymark: Waymark
/** The flags that the page has read right after `init`. */
declare const firstFlags: Readonly<Record<string, unknown>>

const HERO = {
  key: 'hero',
  active: true,
  version: 1,
  filters: {
    groups: [{ properties: [], rollout_percentage: 100 }],
    multivariate: { variants: [{ key: 'calm', rollout_percentage: 100 }] },
    payloads: { calm: '{"colour":"green"}' },
  },
}
const PRO = {
  key: 'pro',
  active: true,
  filters: { groups: [{ properties: [{ key: 'plan', value: 'pro', type: 'person' }], rollout_percentage: 100 }] },
}
const OFF = { key: 'off', active: true, filters: { groups: [{ properties: [], rollout_percentage: 0 }] } }

/** Bundles the entry for a page. */
const bundleEntry = async (): Promise<string> => {
  const built = await rollup({ input: 'dist/evaluate.js', plugins: [nodeResolve({ browser: true }), commonjs()] })
  const { output } = await built.generate({ format: 'es', inlineDynamicImports: true })
  await built.close()
  return output[0].code
}

describe('flags evaluated on the page', () => {
  let folder: string
  let service: RunningService
  let site: Site
  let browser: Browser
  /** Files of the site; each test adds its own. */
  const files: Record<string, SiteFile> = {}

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-evaluate-'))
    service = await startJourneyService(join(folder, 'data'))
    service.setFlags([HERO, PRO, OFF])
    files['/evaluate.js'] = { contentType: 'text/javascript', body: await bundleEntry() }
    site = await startSite({ key: service.apiKey, host: service.url }, files)
    browser = await launch()
  })
  afterAll(async () => {
    // First, because the service process would survive if closing an unstarted browser threw an error.
    await service.kill()
    await browser.close()
    await site.close()
    await removeFolder(folder)
  })

  /** Reads the service's definitions of these flags. */
  const readDefinitions = async (...keys: readonly string[]): Promise<FlagDefinitions> => {
    const definitions = await service.definitions()
    return { ...definitions, flags: definitions.flags.filter(({ key }) => keys.includes(key)) }
  }

  /** Opens a page with the agent in a new profile. Also returns the bodies of its requests to the service, except those with events. */
  const open = async (
    path: string,
    options: EvaluateOptions,
  ): Promise<{ page: Page; requestBodies: (string | null)[] }> => {
    files[path] = {
      contentType: 'text/html',
      body: `<!doctype html><title>A page</title><script type="module">
        import { init } from '/evaluate.js'
        window.waymark = init('${service.apiKey}', ${JSON.stringify({ host: service.url, ...options })})
        window.firstFlags = waymark.getFeatureFlags()
      </script>`,
    }
    const page = await browser.newPage()
    const requestBodies: (string | null)[] = []
    page.on('request', (request) => {
      if (request.url().startsWith(service.url) && !request.url().includes('/batch/'))
        requestBodies.push(request.postData())
    })
    page.on('pageerror', (error) => expect.unreachable(String(error)))
    await page.goto(site.url + path)
    return { page, requestBodies }
  }
  const requestedKeys = (requestBodies: readonly (string | null)[]) =>
    requestBodies.map((body) => (JSON.parse(body!) as Record<string, unknown>)['flag_keys_to_evaluate'])
  const flushAndRead = async (page: Page, event: string): Promise<Record<string, unknown>> => {
    const id = await page.evaluate(() => waymark.flush().then(() => waymark.getDistinctId()))
    const [row] = await until(
      () => service.query(`SELECT properties FROM events WHERE event = '${event}' AND distinct_id = '${id}'`),
      (rows) => rows.length > 0,
    )
    return JSON.parse(row![0] as string) as Record<string, unknown>
  }

  it('have their values at the first read, without a request', async () => {
    const { page, requestBodies } = await open('/all', {
      bootstrap: { definitions: await readDefinitions('hero', 'off') },
    })
    expect(await page.evaluate(() => firstFlags)).toEqual({ hero: 'calm', off: false })
    await page.evaluate(() => {
      waymark.getFeatureFlag('hero')
      waymark.capture('with flags')
    })
    expect(await flushAndRead(page, 'with flags')).toMatchObject({
      '$feature/hero': 'calm',
      $active_feature_flags: ['hero'],
    })
    const flagCall = await flushAndRead(page, '$feature_flag_called')
    expect(flagCall).toMatchObject({
      $feature_flag: 'hero',
      $feature_flag_response: 'calm',
      $feature_flag_payload: { colour: 'green' },
      $feature_flag_id: expect.any(Number),
      $feature_flag_version: expect.any(Number),
      $feature_flag_reason: 'condition_match',
      locally_evaluated: true,
    })
    await page.evaluate(() => waymark.reloadFeatureFlags())
    expect(requestBodies).toEqual([])
    await page.close()
  })

  it('are requested from the service only while a property is unknown', async () => {
    const definitions = await readDefinitions('hero', 'pro', 'off')
    const { page, requestBodies } = await open('/unknown', { bootstrap: { definitions } })
    expect(await page.evaluate(() => firstFlags)).toEqual({ hero: 'calm', off: false })
    const flags = await until(
      () => page.evaluate(() => waymark.getFeatureFlags()),
      (flags) => 'pro' in flags,
    )
    expect(flags).toEqual({ hero: 'calm', off: false, pro: false })
    expect(requestedKeys(requestBodies)).toEqual([['pro']])
    const values = await page.evaluate(() => {
      waymark.identify('customer', { plan: 'pro' })
      const pro = waymark.getFeatureFlag('pro')
      return waymark.reloadFeatureFlags().then(() => [pro, waymark.getFeatureFlag('pro')])
    })
    expect(values).toEqual([true, true])
    expect(requestBodies).toHaveLength(1)
    await page.close()
  })

  it('change at once with the user, a group, a property, and reset', async () => {
    const flag = (id: number, key: string, filters: FlagDefinition['filters']): FlagDefinition => ({
      id,
      key,
      active: true,
      filters,
    })
    const definitions: FlagDefinitions = {
      group_type_mapping: { 0: 'company' },
      flags: [
        flag(1, 'vip', { groups: [{ properties: [{ key: 'distinct_id', value: 'vip' }] }] }),
        flag(2, 'plan', { groups: [{ properties: [{ key: 'plan', value: 'pro' }] }] }),
        flag(3, 'local', {
          aggregation_group_type_index: 0,
          groups: [{ properties: [{ key: 'city', value: 'Oslo' }] }],
        }),
      ],
    }
    const { page } = await open('/user', { bootstrap: { definitions } })
    const flagsAfterEach = await page.evaluate(() => {
      const values: unknown[] = [waymark.getFeatureFlags()]
      waymark.identify('vip')
      values.push(waymark.getFeatureFlags())
      waymark.setPersonPropertiesForFlags({ plan: 'pro' })
      values.push(waymark.getFeatureFlags())
      waymark.group('company', 'acme', { city: 'Oslo' })
      values.push(waymark.getFeatureFlags())
      waymark.reset()
      values.push(waymark.getFeatureFlags())
      return values
    })
    expect(flagsAfterEach).toEqual([
      { vip: false, local: false },
      { vip: true, local: false },
      { vip: true, plan: true, local: false },
      { vip: true, plan: true, local: true },
      { vip: false, local: false },
    ])
    await page.close()
  })

  it('are loaded from a file of the site', async () => {
    const file = (...keys: readonly string[]): SiteFile => ({
      contentType: 'application/json',
      body: JSON.stringify({
        flags: keys.map((key, index) => ({ id: index, key, active: true, filters: { groups: [{}] } })),
      }),
    })
    files['/flags.json'] = file('here')
    const { page, requestBodies } = await open('/file', { definitionsUrl: '/flags.json' })
    expect(await page.evaluate(() => firstFlags)).toEqual({})
    await page.evaluate(() => waymark.reloadFeatureFlags())
    expect(await page.evaluate(() => waymark.getFeatureFlags())).toEqual({ here: true })
    expect(requestBodies).toEqual([])
    files['/flags.json'] = file('new', 'hero')
    await page.evaluate(() => waymark.reloadFeatureFlags())
    expect(await page.evaluate(() => waymark.getFeatureFlags())).toEqual({ new: true, hero: true })
    expect(requestBodies).toEqual([])
    await page.close()
  })

  it('have no values and need no request while the agent is disabled', async () => {
    const definitions = await readDefinitions('hero', 'pro')
    const { page, requestBodies } = await open('/disabled', { disabled: true, bootstrap: { definitions } })
    await page.evaluate(() => waymark.reloadFeatureFlags())
    expect(await page.evaluate(() => [firstFlags, waymark.getFeatureFlag('hero')])).toEqual([{}, undefined])
    expect(requestBodies).toEqual([])
    await page.close()
  })
})
