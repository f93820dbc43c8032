import { expect, onTestFinished, test } from 'vitest'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { saveSurvey } from '../../../src/service/store/metadata/surveys.ts'
import type { NewSurvey } from '../../../src/service/store/metadata/surveys.ts'
import { createSurveyLists } from '../../../src/service/survey/survey-lists.ts'

const START = Date.parse('2026-05-01T00:00:00.000Z')
const given: NewSurvey = {
  name: 'Checkout',
  type: 'api',
  questions: [{ id: 'q', type: 'open', question: 'How was it?' }],
  archived: false,
  start_date: '2026-05-01T00:01:00.000Z',
}

const openLists = async () => {
  const metadata = await openMetadata(':memory:')
  onTestFinished(() => metadata.destroy())
  const { id } = await createProject(metadata, 'Shop', 1000)
  const clock = { now: START }
  const lists = createSurveyLists({ metadata, now: () => clock.now })
  const names = async () => JSON.parse(await lists.list(id)).surveys.map(({ name }: NewSurvey) => name)
  const save = (survey: NewSurvey) =>
    metadata.transaction().execute((transaction) => saveSurvey(transaction, id, survey.name, survey, START))
  return { metadata, clock, lists, names, save, projectId: id }
}

test('says that there are surveys while one runs', async () => {
  const { clock, lists, projectId, save } = await openLists()
  expect(await lists.hasSurveys(projectId)).toBe(false)
  await save(given)
  lists.changed(projectId)
  expect(await lists.hasSurveys(projectId)).toBe(false)
  clock.now += 60_000
  expect(await lists.hasSurveys(projectId)).toBe(true)
  await save({ ...given, archived: true })
  lists.changed(projectId)
  expect(await lists.hasSurveys(projectId)).toBe(false)
})

test('looks again after a change, and without one after ten seconds', async () => {
  const { clock, lists, names, projectId, save } = await openLists()
  expect(await names()).toEqual([])
  await save(given)
  expect(await names()).toEqual([])
  clock.now += 10_000
  expect(await names()).toEqual(['Checkout'])
  await save({ ...given, name: 'Other' })
  lists.changed(projectId)
  expect(await names()).toEqual(['Checkout', 'Other'])
})

test('looks again when the clock was set back', async () => {
  const { clock, names, save } = await openLists()
  expect(await names()).toEqual([])
  await save(given)
  clock.now -= 3_600_000
  expect(await names()).toEqual(['Checkout'])
})

test('looks again after a look that failed', async () => {
  const { lists, metadata, projectId } = await openLists()
  await metadata.schema.alterTable('surveys').renameTo('hidden').execute()
  await expect(lists.list(projectId)).rejects.toThrow('no such table')
  await metadata.schema.alterTable('hidden').renameTo('surveys').execute()
  expect(await lists.hasSurveys(projectId)).toBe(false)
})
