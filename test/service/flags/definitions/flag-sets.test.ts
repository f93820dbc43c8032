import { expect, onTestFinished, test } from 'vitest'
import { setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import { createFlagSets } from '../../../../src/service/flags/definitions/flag-sets.ts'
import { readFlagRevisions } from '../../../../src/service/store/metadata/flag-revisions.ts'
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
