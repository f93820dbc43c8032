import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { openApp } from '../support/app.ts'

test('serves the remote config as JSON and as a script, cacheable for a minute', async () => {
  const { app, metadata, project, flagSets } = await openApp()
  const config = await app.inject({ url: `/array/${project.apiKey}/config` })
  expect([config.statusCode, config.headers['cache-control']]).toEqual([200, 'public, max-age=60'])
  expect(config.headers['content-type']).toContain('application/json')
  expect(config.json()).toMatchObject({ token: project.apiKey, hasFeatureFlags: false, surveys: false })

  await setFlags(metadata, project.id, { flags: [{ key: 'beta', filters: { groups: [{}] } }] }, 1)
  await flagSets.reload(project.id)
  expect((await app.inject({ url: `/array/${project.apiKey}/config/` })).json().hasFeatureFlags).toBe(true)

  const script = await app.inject({ url: `/array/${project.apiKey}/config.js` })
  expect(script.headers).toMatchObject({
    'content-type': expect.stringContaining('javascript'),
    'cache-control': 'public, max-age=60',
    'x-content-type-options': 'nosniff',
  })
  const window: { _POSTHOG_REMOTE_CONFIG?: Record<string, { config: unknown }> } = {}
  runInNewContext(script.body, { window })
  expect(JSON.parse(JSON.stringify(window._POSTHOG_REMOTE_CONFIG![project.apiKey]!.config))).toMatchObject({
    hasFeatureFlags: true,
  })
})

test('responds with 404 for an unknown key', async () => {
  const { app } = await openApp()
  for (const path of ['config', 'config.js']) {
    const response = await app.inject({ url: `/array/%3C%2Fscript%3E/${path}` })
    expect([response.statusCode, response.json().code]).toEqual([404, 'not_found'])
    expect(response.headers['content-type']).toContain('application/json')
  }
})

test('adds the remote config to the flags response on request', async () => {
  const { app, project } = await openApp()
  const payload = JSON.stringify({ token: project.apiKey, distinct_id: 'u' })
  const postFlags = async (url: string) => (await app.inject({ method: 'POST', url, payload })).json()
  expect(await postFlags('/flags/?v=2&config=true')).toMatchObject({
    flags: {},
    sessionRecording: false,
    surveys: false,
  })
  expect(await postFlags('/flags/?v=2')).not.toHaveProperty('sessionRecording')
})

test('responds with 5xx while the metadata cannot be read', async () => {
  const { app, metadata, project } = await openApp()
  await metadata.schema.alterTable('projects').renameTo('hidden').execute()
  const response = await app.inject({ url: `/array/${project.apiKey}/config` })
  expect(response.statusCode).toBeGreaterThanOrEqual(500)
})

test('evaluates flags while the surveys cannot be read', async () => {
  const { app, metadata, project } = await openApp()
  await setFlags(metadata, project.id, { flags: [{ key: 'beta', filters: { groups: [{}] } }] }, 1)
  await metadata.schema.alterTable('surveys').renameTo('hidden').execute()
  const payload = JSON.stringify({ token: project.apiKey, distinct_id: 'u' })
  const response = await app.inject({ method: 'POST', url: '/decide/?v=3', payload })
  expect([response.statusCode, response.json()]).toMatchObject([200, { featureFlags: { beta: true }, surveys: false }])
})
