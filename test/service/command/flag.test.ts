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
const runCommand = async (...args: string[]): Promise<string[]> => {
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
  await runCommand('project', 'create', 'Shop')
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
  expect(await runCommand('flag', 'set', path)).toEqual(['set checkout', 'set button'])
  expect(await runCommand('flag', 'list')).toEqual(['on   version 1  checkout', 'off  version 1  button  red blue'])
  await runCommand('flag', 'pause')
  expect((await runCommand('flag', 'list'))[0]).toMatch(/^paused/)
  await runCommand('flag', 'resume')
  expect(await runCommand('flag', 'delete', 'button')).toEqual(['deleted button'])
  expect(await runCommand('flag', 'list')).toEqual(['on   version 1  checkout'])
})

test('warns of fields that have no effect, and sets the flag', async () => {
  await runCommand('project', 'create', 'Shop')
  const errors: string[] = []
  const error = vi.spyOn(console, 'error').mockImplementation((line: string) => void errors.push(line))
  onTestFinished(() => error.mockRestore())
  const path = writeFlagFile({ key: 'a', rollout: 10, filters: { groups: [{}] } })
  expect(await runCommand('flag', 'set', path)).toEqual(['set a'])
  expect(errors).toEqual([
    'warning: Flag "a": "rollout" is not a field and has no effect; use "filters.groups[0].rollout_percentage".',
  ])
})

test('pauses and resumes all projects of an organisation', async () => {
  await runCommand('project', 'create', 'Shop')
  await runCommand('project', 'create', 'Blog')
  await runCommand('user', 'create', 'ann@shop.example')
  await runCommand('org', 'create', 'Elsewhere', '--owner', 'ann@shop.example')
  const [own, other] = (await runCommand('org', 'list')).map((line) => line.split(/ +/)[1]!)
  const isPaused = async (project: string): Promise<boolean> =>
    (await runCommand('flag', 'list', '--project', project)).some((line) => line.startsWith('paused'))
  await runCommand('flag', 'pause', '--organization', own!)
  expect([await isPaused('1'), await isPaused('2')]).toEqual([true, true])
  await runCommand('flag', 'resume', '--organization', other!)
  expect([await isPaused('1'), await isPaused('2')]).toEqual([true, true])
  await runCommand('flag', 'resume', '--organization', own!)
  expect([await isPaused('1'), await isPaused('2')]).toEqual([false, false])
  await expect(runCommand('flag', 'pause', '--organization', 'x')).rejects.toThrow('There is no organisation x')
})

test('changes flags of one project only, and reports a missing project or flag', async () => {
  await runCommand('project', 'create', 'Shop')
  await runCommand('project', 'create', 'Other')
  await runCommand('flag', 'set', writeFlagFile({ key: 'a', filters: { groups: [{}] } }), '--project', '2')
  expect(await runCommand('flag', 'list', '--project', '2')).toEqual(['on   version 1  a'])
  expect(await runCommand('flag', 'list')).toEqual([])
  await expect(runCommand('flag', 'list', '--project', '3')).rejects.toThrow('There is no project 3')
  await expect(runCommand('flag', 'delete', 'a')).rejects.toThrow('There is no flag "a"')
  await expect(runCommand('flag', 'set', writeFlagFile({ key: 'a' }))).rejects.toThrow(
    'Flag "a": filters must be an object.',
  )
})

test('sets flags with their cohorts, and does not delete a flag in use', async () => {
  await runCommand('project', 'create', 'Shop')
  const pros = { type: 'AND', values: [{ key: 'plan', value: 'pro' }] }
  const inPros = { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 1 }] }] }
  const onBeta = { groups: [{ properties: [{ key: 'beta', type: 'flag', value: true }] }] }
  const flags = [
    { key: 'beta', filters: inPros },
    { key: 'more', filters: onBeta },
  ]
  expect(await runCommand('flag', 'set', writeFlagFile({ flags, cohorts: { 1: pros } }))).toEqual([
    'set beta',
    'set more',
  ])
  await expect(runCommand('flag', 'delete', 'beta')).rejects.toThrow('flag "more" still refers to flag "beta"')
  expect(await runCommand('flag', 'delete', 'more')).toEqual(['deleted more'])
})

test('creates personal API keys with management scopes', async () => {
  await runCommand('project', 'create', 'Shop')
  const scopes = ['cohort:read', 'cohort:write', 'early_access_feature:read', 'early_access_feature:write']
  await runCommand('key', 'create', 'admin', '--scope', ...scopes)
  expect((await runCommand('key', 'list'))[0]).toContain(scopes.join(' '))
})
