import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { openApp } from '../support/app.ts'

test('answers what a project has as JSON and as a script, for a minute', async () => {
  const { app, metadata, project, flagSets } = await openApp()
  const config = await app.inject({ url: `/array/${project.apiKey}/config` })
  expect([config.statusCode, config.headers['cache-control']]).toEqual([200, 'public, max-age=60'])
  expect(config.headers['content-type']).toContain('application/json')
  expect(config.json()).toMatchObject({ token: project.apiKey, hasFeatureFlags: false, surveys: false })

  await setFlags(metadata, project.id, { flags: [{ key: 'beta', filters: { groups: [{}] } }] }, 1)
  await flagSets.changed(project.id)
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

test('has nothing for a key that no project has', async () => {
  const { app } = await openApp()
  for (const path of ['config', 'config.js']) {
    const answer = await app.inject({ url: `/array/%3C%2Fscript%3E/${path}` })
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found'])
    expect(answer.headers['content-type']).toContain('application/json')
  }
})

test('tells the remote config with the flags to who asks for it there', async () => {
  const { app, project } = await openApp()
  const payload = JSON.stringify({ token: project.apiKey, distinct_id: 'u' })
  const ask = async (url: string) => (await app.inject({ method: 'POST', url, payload })).json()
  expect(await ask('/flags/?v=2&config=true')).toMatchObject({ flags: {}, sessionRecording: false, surveys: false })
  expect(await ask('/flags/?v=2')).not.toHaveProperty('sessionRecording')
})

test('says that it cannot look while the metadata cannot be read, not that there is nothing', async () => {
  const { app, metadata, project } = await openApp()
  await metadata.schema.alterTable('projects').renameTo('hidden').execute()
  const answer = await app.inject({ url: `/array/${project.apiKey}/config` })
  expect(answer.statusCode).toBeGreaterThanOrEqual(500)
})

test('answers flags while the surveys cannot be read', async () => {
  const { app, metadata, project } = await openApp()
  await setFlags(metadata, project.id, { flags: [{ key: 'beta', filters: { groups: [{}] } }] }, 1)
  await metadata.schema.alterTable('surveys').renameTo('hidden').execute()
  const payload = JSON.stringify({ token: project.apiKey, distinct_id: 'u' })
  const answer = await app.inject({ method: 'POST', url: '/decide/?v=3', payload })
  expect([answer.statusCode, answer.json()]).toMatchObject([200, { featureFlags: { beta: true }, surveys: false }])
})
