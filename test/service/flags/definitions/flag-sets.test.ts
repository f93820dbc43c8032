import { expect, onTestFinished, test, vi } from 'vitest'
import { setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import { createFlagSets } from '../../../../src/service/flags/definitions/flag-sets.ts'
import { readFlagRevisions } from '../../../../src/service/store/metadata/flag-revisions.ts'
import { noop } from '../../../../src/service/noop.ts'
import { delayAnswers } from '../../support/delay-answers.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'

const openSets = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const { id } = await createProject(metadata, 'Shop', 1)
  const errors: unknown[] = []
  const flagSets = createFlagSets({ metadata, now: Date.now, onError: (error) => errors.push(error) })
  return { metadata, id, errors, flagSets }
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
