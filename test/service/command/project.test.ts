import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { findProjectById } from '../../../src/service/store/metadata/projects.ts'
import { createDataFolder } from './data-folder.ts'

test('sets, shows and removes the quota of a project', async () => {
  const { folder, runCommand } = createDataFolder()
  await runCommand('project', 'create', 'Shop')
  await runCommand('project', 'create', 'Blog')
  expect(await runCommand('project', 'quota', '1000000', '--project', '2')).toEqual([
    'project 2 may store 1000000 events a month',
  ])
  expect(await runCommand('project', 'list')).toEqual([
    expect.stringMatching(/^project 1 {2}wm_\S+ {2}Shop$/),
    expect.stringMatching(/^project 2 {2}wm_\S+ {2}Blog {2}\(quota: 1000000 events a month\)$/),
  ])
  const metadata = await openMetadata(join(folder, 'metadata.sqlite'))
  onTestFinished(() => metadata.destroy())
  expect(await findProjectById(metadata, 2)).toMatchObject({ eventQuota: 1_000_000 })
  expect(await runCommand('project', 'quota', 'none', '--project', '2')).toEqual(['project 2 has no quota'])
  expect(await runCommand('project', 'quota', '0')).toEqual(['project 1 may store 0 events a month'])
  expect([(await findProjectById(metadata, 1))?.eventQuota, (await findProjectById(metadata, 2))?.eventQuota]).toEqual([
    0,
    null,
  ])
})

test.each(['', '-5', '1.5', '1e3', 'many', '99999999999999999999'])('rejects the quota %j', async (quota) => {
  const { runCommand } = createDataFolder()
  await runCommand('project', 'create', 'Shop')
  await expect(runCommand('project', 'quota', '--', quota)).rejects.toThrow(
    /A quota must be a whole number of events, or none/,
  )
})

test('reports a missing project', async () => {
  const { runCommand } = createDataFolder()
  await runCommand('project', 'create', 'Shop')
  await expect(runCommand('project', 'quota', '5', '--project', '9')).rejects.toThrow('There is no project 9')
})
