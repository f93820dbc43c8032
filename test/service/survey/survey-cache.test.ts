import { expect, onTestFinished, test } from 'vitest'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { saveSurvey } from '../../../src/service/store/metadata/surveys.ts'
import type { NewSurvey } from '../../../src/service/store/metadata/surveys.ts'
import { createSurveyCache } from '../../../src/service/survey/survey-cache.ts'

const START = Date.parse('2026-05-01T00:00:00.000Z')
const checkout: NewSurvey = {
  name: 'Checkout',
  type: 'api',
  questions: [{ id: 'q', type: 'open', question: 'How was it?' }],
  archived: false,
  start_date: '2026-05-01T00:01:00.000Z',
}

const openCache = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const { id } = await createProject(metadata, 'Shop', 1000)
  const clock = { now: START }
  const cache = createSurveyCache({ metadata, now: () => clock.now })
  const names = async () => JSON.parse(await cache.listJson(id)).surveys.map(({ name }: NewSurvey) => name)
  const save = (survey: NewSurvey) =>
    metadata.transaction().execute((transaction) => saveSurvey(transaction, id, survey.name, survey, START))
  return { metadata, clock, cache, names, save, projectId: id }
}

test('reports that a project has surveys while one is running', async () => {
  const { clock, cache, projectId, save } = await openCache()
  expect(await cache.hasSurveys(projectId)).toBe(false)
  await save(checkout)
  cache.invalidate(projectId)
  expect(await cache.hasSurveys(projectId)).toBe(false)
  clock.now += 60_000
  expect(await cache.hasSurveys(projectId)).toBe(true)
  await save({ ...checkout, archived: true })
  cache.invalidate(projectId)
  expect(await cache.hasSurveys(projectId)).toBe(false)
})

test('reads the surveys again after an invalidation or ten seconds', async () => {
  const { clock, cache, names, projectId, save } = await openCache()
  expect(await names()).toEqual([])
  await save(checkout)
  expect(await names()).toEqual([])
  clock.now += 10_000
  expect(await names()).toEqual(['Checkout'])
  await save({ ...checkout, name: 'Other' })
  cache.invalidate(projectId)
  expect(await names()).toEqual(['Checkout', 'Other'])
})

test('reads the surveys again after the clock was set back', async () => {
  const { clock, names, save } = await openCache()
  expect(await names()).toEqual([])
  await save(checkout)
  clock.now -= 3_600_000
  expect(await names()).toEqual(['Checkout'])
})

test('reads the surveys again after a failed read', async () => {
  const { cache, metadata, projectId } = await openCache()
  await metadata.schema.alterTable('surveys').renameTo('hidden').execute()
  await expect(cache.listJson(projectId)).rejects.toThrow(/no such table|does not exist/)
  await metadata.schema.alterTable('hidden').renameTo('surveys').execute()
  expect(await cache.hasSurveys(projectId)).toBe(false)
})
