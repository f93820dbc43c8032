import { expect, onTestFinished, test, vi } from 'vitest'
import { setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import { createFlagSets } from '../../../../src/service/flags/definitions/flag-sets.ts'
import { readFlagRevisions } from '../../../../src/service/store/metadata/flag-revisions.ts'
import type { Json } from '../../../../src/wire/json.ts'
import { noop } from '../../../../src/service/noop.ts'
import { delayAnswers } from '../../support/delay-answers.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'

const openSets = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const { id } = await createProject(metadata, 'Shop', 1)
  const errors: unknown[] = []
  const warnings: string[] = []
  const flagSets = createFlagSets({
    metadata,
    now: Date.now,
    onError: (error) => errors.push(error),
    onWarning: (warning) => warnings.push(warning),
  })
  return { metadata, id, errors, warnings, flagSets }
}

test('calls every listener after a change, also if one throws', async () => {
  const { metadata, id, errors, flagSets } = await openSets()
  await flagSets.get(id)
  const flagCounts: number[] = []
  const failure = new Error('listener failed')
  const stops = [
    flagSets.watch(id, () => {
      throw failure
    }),
    flagSets.watch(id, ({ flags }) => flagCounts.push(flags.length)),
  ]
  await setFlags(metadata, id, { key: 'a', filters: { groups: [{}] } }, 1)
  await flagSets.reload(id)
  for (const stop of stops) stop()
  expect([flagCounts, errors]).toEqual([[1], [failure]])
})

test('does not query the store without a project', async () => {
  const { metadata } = await openSets()
  await metadata.schema.dropTable('flag_settings').execute()
  expect(await readFlagRevisions(metadata, [])).toEqual(new Map())
})

test('returns the cached flags while newer ones take long to load, and waits for them once', async () => {
  const { metadata: answering, id } = await openSets()
  const { metadata, hang, answer } = delayAnswers(answering)
  let now = 0
  const flagSets = createFlagSets({ metadata, now: () => now, onError: noop })
  const keys = async () => (await flagSets.get(id)).flags.map(({ key }) => key)
  expect(await keys()).toEqual([])
  await setFlags(answering, id, { key: 'a', filters: { groups: [{}] } }, 1)
  now += 1000
  hang()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const slow = keys()
  await vi.advanceTimersByTimeAsync(1000)
  expect([await slow, await keys()]).toEqual([[], []])
  vi.useRealTimers()
  answer()
  await expect.poll(keys).toEqual(['a'])
})

test('warns once of stored definitions with a misspelled field, and serves them', async () => {
  const { metadata, id, warnings, flagSets } = await openSets()
  const misspelled = { filters: { groups: [{ rollout_percent: 10 }] } }
  const flags: Json[] = [
    { key: 'fine', notes: 1, filters: { groups: [{}] } },
    { key: 'a', ...misspelled },
  ]
  await setFlags(metadata, id, { flags, cohorts: { 1: { type: 'OR', values: [{ key: 'a', value: 1, op: 'gt' }] } } }, 1)
  expect((await flagSets.get(id)).flags).toHaveLength(2)
  expect(warnings).toEqual([
    `Project ${id}: Flag "a": "filters.groups[0].rollout_percent" is not a field and has no effect; use "rollout_percentage".`,
    `Project ${id}: Cohort 1: "filters.properties.values[0].op" is not a field and has no effect; use "operator".`,
  ])
  await setFlags(metadata, id, { key: 'b', ...misspelled }, 2)
  await flagSets.reload(id)
  expect((await flagSets.get(id)).flags).toHaveLength(3)
  expect(warnings).toHaveLength(2)
})

test('names few of many stored definitions with a misspelled field', async () => {
  const { metadata, id, warnings, flagSets } = await openSets()
  const flags = Array.from({ length: 50 }, (_, index) => ({
    key: `f${index}`,
    enabled: false,
    filters: { groups: [] },
  }))
  await setFlags(metadata, id, flags, 1)
  await flagSets.get(id)
  expect(warnings).toHaveLength(10)
})
