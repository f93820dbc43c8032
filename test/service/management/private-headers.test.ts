import { expect, test } from 'vitest'
import { openApp } from '../support/app.ts'

test('keeps every management answer out of caches, errors included', async () => {
  const { app, project, personalApiKey } = await openApp()
  const authorization = `Bearer ${personalApiKey}`
  const flags = `/api/projects/${project.id}/feature_flags/`
  for (const [method, url, headers] of [
    ['GET', flags, { authorization }],
    ['GET', flags, {}],
    ['GET', `${flags}99/`, { authorization }],
    ['PUT', flags, { authorization }],
    ['GET', '/api/nothing/', { authorization }],
    ['GET', '/api/schema/', {}],
    ['GET', `/api/surveys/?token=${project.apiKey}`, {}],
    ['GET', `/api/feature_flag/local_evaluation/?token=${project.apiKey}`, { authorization }],
    ['GET', `/flags/definitions?token=${project.apiKey}`, { authorization }],
  ] as const) {
    const response = await app.inject({ method, url, headers })
    expect([url, response.headers['cache-control'], response.headers['x-content-type-options']]).toEqual([
      url,
      'no-store',
      'nosniff',
    ])
  }
})
