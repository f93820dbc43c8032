import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createProgram } from '../../../src/service/command/program.ts'
import { createTempFolder } from '../support/temp-folder.ts'

let folder: string
beforeEach(() => {
  folder = createTempFolder()
})

/** Runs a command line on the test's data folder and returns what it printed. */
const run = async (...args: string[]): Promise<string[]> => {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  onTestFinished(() => log.mockRestore())
  await createProgram().parseAsync(['--data-folder', join(folder, 'data'), ...args], { from: 'user' })
  return lines
}

const writeFlagFile = (json: unknown): string => {
  const path = join(folder, 'flags.json')
  writeFileSync(path, JSON.stringify(json))
  return path
}

test('sets, lists, pauses, resumes and deletes the flags of a project', async () => {
  await run('project', 'create', 'Shop')
  const path = writeFlagFile([
    { key: 'checkout', filters: { groups: [{ rollout_percentage: 50 }] } },
    {
      key: 'button',
      active: false,
      filters: {
        groups: [],
        multivariate: {
          variants: [
            { key: 'red', rollout_percentage: 50 },
            { key: 'blue', rollout_percentage: 50 },
          ],
        },
      },
    },
  ])
  expect(await run('flag', 'set', path)).toEqual(['set checkout', 'set button'])
  expect(await run('flag', 'list')).toEqual(['on   version 1  checkout', 'off  version 1  button  red blue'])
  await run('flag', 'pause')
  expect((await run('flag', 'list'))[0]).toMatch(/^paused/)
  await run('flag', 'resume')
  expect(await run('flag', 'delete', 'button')).toEqual(['deleted button'])
  expect(await run('flag', 'list')).toEqual(['on   version 1  checkout'])
})

test('changes flags of one project only, and reports a missing project or flag', async () => {
  await run('project', 'create', 'Shop')
  await run('project', 'create', 'Other')
  await run('flag', 'set', writeFlagFile({ key: 'a', filters: { groups: [{}] } }), '--project', '2')
  expect(await run('flag', 'list', '--project', '2')).toEqual(['on   version 1  a'])
  expect(await run('flag', 'list')).toEqual([])
  await expect(run('flag', 'list', '--project', '3')).rejects.toThrow('There is no project 3')
  await expect(run('flag', 'delete', 'a')).rejects.toThrow('There is no flag "a"')
  await expect(run('flag', 'set', writeFlagFile({ key: 'a' }))).rejects.toThrow('Flag "a": filters must be an object.')
})

test('sets flags with their cohorts, and does not delete a flag in use', async () => {
  await run('project', 'create', 'Shop')
  const pros = { type: 'AND', values: [{ key: 'plan', value: 'pro' }] }
  const inPros = { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 1 }] }] }
  const onBeta = { groups: [{ properties: [{ key: 'beta', type: 'flag', value: true }] }] }
  const flags = [
    { key: 'beta', filters: inPros },
    { key: 'more', filters: onBeta },
  ]
  expect(await run('flag', 'set', writeFlagFile({ flags, cohorts: { 1: pros } }))).toEqual(['set beta', 'set more'])
  await expect(run('flag', 'delete', 'beta')).rejects.toThrow('flag "more" still refers to flag "beta"')
  expect(await run('flag', 'delete', 'more')).toEqual(['deleted more'])
})

test('creates personal API keys with management scopes', async () => {
  await run('project', 'create', 'Shop')
  const scopes = ['cohort:read', 'cohort:write', 'early_access_feature:read', 'early_access_feature:write']
  await run('key', 'create', 'admin', '--scope', ...scopes)
  expect((await run('key', 'list'))[0]).toContain(scopes.join(' '))
})
