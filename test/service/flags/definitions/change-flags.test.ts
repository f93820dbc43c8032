import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deleteFlag, pauseFlags, setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import { loadFlagFile } from '../../../../src/service/flags/definitions/load-flag-file.ts'
import { readDefinitions } from '../../../../src/service/flags/definitions/read-definitions.ts'
import { loadCohorts } from '../../../../src/service/store/metadata/cohorts.ts'
import { readFlagSettings } from '../../../../src/service/store/metadata/flag-settings.ts'
import { listFlags } from '../../../../src/service/store/metadata/flags.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'
import type { Metadata } from '../../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import type { Json } from '../../../../src/wire/json.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

let metadata: Metadata
let project: number
beforeEach(async () => {
  metadata = await openTestMetadata()
  project = (await createProject(metadata, 'Shop', 1000)).id
})
afterEach(() => metadata.destroy())

const flag = (key: string, rollout_percentage = 100) => ({ key, filters: { groups: [{ rollout_percentage }] } })
const stored = async () => (await listFlags(metadata, project)).map(({ key, version }) => [key, version])

test('accepts one definition, an array, or a feed with group types', async () => {
  expect(await setFlags(metadata, project, flag('a'), 1)).toEqual(['a'])
  expect(await setFlags(metadata, project, [flag('b'), flag('c')], 1)).toEqual(['b', 'c'])
  const byGroup = { key: 'd', filters: { groups: [{}], aggregation_group_type_index: 0 } }
  await setFlags(metadata, project, { flags: [byGroup], group_type_mapping: { 0: 'company' } }, 1)
  expect(await stored()).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
    ['d', 1],
  ])
  expect((await readFlagSettings(metadata, project)).groupTypes).toEqual({ 0: 'company' })
  await setFlags(metadata, project, { ...byGroup, key: 'e' }, 1)
})

test('increments the version of a changed flag only, and keeps its id', async () => {
  await setFlags(metadata, project, [flag('a'), flag('b')], 1)
  const [before] = await listFlags(metadata, project)
  await setFlags(metadata, project, [flag('a', 50), flag('b')], 2)
  expect(await stored()).toEqual([
    ['a', 2],
    ['b', 1],
  ])
  expect((await listFlags(metadata, project))[0]).toMatchObject({ id: before!.id, filters: flag('a', 50).filters })
})

test('sets no flag when one is invalid, and names the invalid flag', async () => {
  await expect(setFlags(metadata, project, [flag('a'), { key: 'b' }], 1)).rejects.toThrow(
    'Flag "b": filters must be an object.',
  )
  await expect(setFlags(metadata, project, [flag('a'), 5], 1)).rejects.toThrow(
    'Flag number 2: a flag must be an object.',
  )
  const orphan = { key: 'g', filters: { groups: [], aggregation_group_type_index: 3 } }
  await expect(setFlags(metadata, project, [flag('a'), orphan], 1)).rejects.toThrow('has no group type 3')
  await expect(setFlags(metadata, project, { flags: [], group_type_mapping: { x: 1 } }, 1)).rejects.toThrow(
    'group_type_mapping.x',
  )
  expect(await stored()).toEqual([])
})

test('deletes a flag of one project only', async () => {
  const other = (await createProject(metadata, 'Other', 1000)).id
  await setFlags(metadata, project, flag('a'), 1)
  await setFlags(metadata, other, flag('a'), 1)
  expect(await deleteFlag(metadata, project, 'a')).toBe(true)
  expect(await deleteFlag(metadata, project, 'a')).toBe(false)
  expect(await listFlags(metadata, other)).toHaveLength(1)
})

test('increments the revision with every change', async () => {
  const settings = [await readFlagSettings(metadata, project)]
  await setFlags(metadata, project, flag('a'), 1)
  settings.push(await readFlagSettings(metadata, project))
  await pauseFlags(metadata, project, true)
  settings.push(await readFlagSettings(metadata, project))
  await deleteFlag(metadata, project, 'a')
  settings.push(await readFlagSettings(metadata, project))
  expect(settings.map(({ revision, isPaused }) => [revision, isPaused])).toEqual([
    [0, false],
    [1, false],
    [2, true],
    [3, true],
  ])
})

test('reads a flag file or says in one sentence what is wrong with it', async () => {
  const path = join(createTempFolder(), 'flags.json')
  writeFileSync(path, JSON.stringify([flag('a')]))
  expect(await loadFlagFile(metadata, project, path, 1)).toEqual(['a'])
  writeFileSync(path, '{')
  await expect(loadFlagFile(metadata, project, path, 1)).rejects.toThrow(`${path} is not JSON`)
  writeFileSync(path, '[{"key":"b"}]')
  await expect(loadFlagFile(metadata, project, path, 1)).rejects.toThrow('Flag "b"')
  await expect(loadFlagFile(metadata, project, `${path}.none`, 1)).rejects.toThrow('The flag file cannot be read')
})

test('rejects a key that is defined twice', async () => {
  await expect(setFlags(metadata, project, [flag('a'), flag('b'), flag('a', 5)], 1)).rejects.toThrow(
    'Flag "a" is defined twice; remove one of the definitions.',
  )
  expect(await stored()).toEqual([])
})

const pros = { type: 'AND', values: [{ key: 'plan', value: 'pro' }] }
const onCohort = (key: string, id: number) => ({
  key,
  filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: id }] }] },
})

test('accepts the feed of another service and keeps the names of its cohorts', async () => {
  const feed = {
    flags: [
      onCohort('a', 7),
      { key: 'b', filters: { groups: [{ properties: [{ key: 'a', type: 'flag', value: true }] }] } },
    ],
    cohorts: { 7: pros },
    group_type_mapping: {},
    property_matching_version: 2,
    minimal_flag_called_events: true,
  }
  await setFlags(metadata, project, feed, 1)
  expect((await readDefinitions(metadata, project)).definitions).toMatchObject({
    cohorts: feed.cohorts,
    property_matching_version: 2,
    minimal_flag_called_events: true,
  })
  const [unnamed] = await loadCohorts(metadata, project)
  expect(unnamed).toMatchObject({ id: 7, definition: { name: 'Cohort 7' } })
  const named = { name: 'Pros', description: 'paying persons', filters: { properties: pros } }
  await setFlags(metadata, project, { flags: [], cohorts: { 7: named } }, 2)
  await setFlags(metadata, project, feed, 3)
  expect(await loadCohorts(metadata, project)).toMatchObject([{ id: 7, version: 2, definition: named }])
  expect((await readFlagSettings(metadata, project)).lastCohortId).toBe(7)
})

test('keeps group types that a file omits, and rejects a file that removes one in use', async () => {
  await setFlags(metadata, project, { flags: [], group_type_mapping: { 0: 'company', 1: 'team' } }, 1)
  const byTeam = { key: 'a', filters: { groups: [], aggregation_group_type_index: 1 } }
  await setFlags(metadata, project, { flags: [byTeam], group_type_mapping: { 2: 'project' } }, 1)
  expect((await readFlagSettings(metadata, project)).groupTypes).toEqual({ 0: 'company', 1: 'team', 2: 'project' })
  await expect(setFlags(metadata, project, { flags: [], group_type_mapping: { 3: 'team' } }, 1)).rejects.toThrow(
    'Nothing was changed: flag "a" still uses group type 1 ("team"); change the flag first.',
  )
})

test('names the invalid cohort and the definition that uses a flag', async () => {
  for (const [cohorts, message] of [
    [[], '"cohorts" must be an object'],
    [{ x: pros }, '"cohorts.x" must have an id from 1'],
    [{ 7: { type: 'AND' } }, 'Cohort 7: filters.properties.values must be an array.'],
  ] as const)
    await expect(setFlags(metadata, project, { flags: [], cohorts }, 1)).rejects.toThrow(message)
  await expect(setFlags(metadata, project, onCohort('a', 7), 1)).rejects.toThrow(
    'Flag "a": filters.groups[0].properties[0] refers to cohort 7, which does not exist; create it first.',
  )
  const onA = { key: 'b', filters: { groups: [{ properties: [{ key: 'a', type: 'flag', value: true }] }] } }
  await setFlags(metadata, project, [flag('a'), onA], 1)
  await expect(deleteFlag(metadata, project, 'a')).rejects.toThrow('flag "b" still refers to flag "a"')
  expect(await stored()).toHaveLength(2)
})

test('reads a flag file with a byte order mark', async () => {
  const path = join(createTempFolder(), 'flags.json')
  writeFileSync(path, `\uFEFF${JSON.stringify(flag('a'))}`)
  expect(await loadFlagFile(metadata, project, path, 1)).toEqual(['a'])
})

test('takes fields that have no effect, and warns of them by their place', async () => {
  const warnings: string[] = []
  const file: Json = {
    notes: 1,
    flags: [
      { key: 'a', rollout_percent: 10, comment: 'x', filters: { groups: [{ percentage: 5 }] } },
      { ...flag('b'), dependency_chain: [], version: 3 },
      {
        key: 'c',
        filters: { groups: [{}], multivariate: { variants: [{ key: 'x', rollout_percentage: 90 }] } },
      },
    ],
    cohorts: {
      1: { type: 'AND', values: [{ key: 'plan', value: 'pro', negate: true }] },
      2: { name: 'Two', conditons: [], filters: { properties: {} } },
    },
  }
  for (const _ of [1, 2]) {
    const onWarning = (warning: string) => warnings.push(warning)
    expect(await setFlags(metadata, project, file, 1, onWarning)).toEqual(['a', 'b', 'c'])
    expect(warnings.splice(0)).toEqual([
      'The file: "notes" is not a field and has no effect.',
      'Flag "a": "rollout_percent" is not a field and has no effect; use "filters.groups[0].rollout_percentage".',
      'Flag "a": "filters.groups[0].percentage" is not a field and has no effect; use "rollout_percentage".',
      'Flag "a": "comment" is not a field and has no effect.',
      'Flag "c": filters.multivariate.variants have rollout percentages that add up to 90; they must add up to 100.',
      'Cohort 1: "values[0].negate" is not a field and has no effect; use "negation".',
      'Cohort 2: "conditons" is not a field and has no effect; use "filters.properties".',
    ])
  }
  expect((await listFlags(metadata, project))[0]).toMatchObject({ rollout_percent: 10, comment: 'x' })
})
