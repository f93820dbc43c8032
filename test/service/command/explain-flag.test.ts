import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createProgram } from '../../../src/service/command/program.ts'
import { openDataFolder } from '../../../src/service/data-folder.ts'
import { saveGroups } from '../../../src/service/store/metadata/groups.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { savePersons } from '../../../src/service/store/metadata/persons.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const flags = [
  {
    key: 'checkout',
    filters: {
      groups: [
        { properties: [{ key: 'plan', value: 'pro' }] },
        {
          aggregation_group_type_index: 0,
          properties: [{ key: 'size', type: 'group', operator: 'gt', value: 9 }],
        },
        { properties: [{ key: 'age', operator: 'lt', value: 18 }] },
      ],
    },
  },
  { key: 'by-device', bucketing_identifier: 'device_id', filters: { groups: [{ rollout_percentage: 100 }] } },
]

let folder: string

/** Runs a subcommand of `flag` on the test's data folder and returns what it printed. */
const runCommand = async (...args: string[]): Promise<string[]> => {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  onTestFinished(() => log.mockRestore())
  await createProgram().parseAsync(['--data-folder', folder, 'flag', ...args], { from: 'user' })
  return lines
}

beforeEach(async () => {
  folder = join(createTempFolder(), 'data')
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await createProgram().parseAsync(['--data-folder', folder, 'project', 'create', 'Shop'], { from: 'user' })
  log.mockRestore()
  const path = join(folder, 'flags.json')
  writeFileSync(path, JSON.stringify({ flags, group_type_mapping: { 0: 'company' } }))
  await runCommand('set', path)
  const metadata = await openMetadata(openDataFolder(folder).metadata)
  const person = { id: 'p', properties: { plan: 'free', $device_id: 'stored' }, createdAt: 1, isIdentified: true }
  await savePersons(metadata, 1, { persons: [person], newDistinctIds: [['ada', 'p']], merges: [] })
  await saveGroups(metadata, 1, [{ type: 'company', key: 'acme', properties: { size: 50 }, createdAt: 1 }])
  await metadata.destroy()
})

test('explains a flag value with the stored properties of person and groups', async () => {
  expect(await runCommand('explain', 'checkout', 'ada', '--group', 'company=acme')).toEqual([
    'checkout: true, condition_match',
    'hashed by the distinct id "ada"',
    'condition 0:',
    '  no  plan exact "pro": is "free"',
    '  rollout: everyone',
    'condition 1, which decides:',
    '  hashed by the company "acme"',
    '  yes size gt 9: is 50',
    '  rollout: everyone',
    'later conditions were not evaluated',
  ])
})

test('prefers properties of --property, parsed as JSON, to stored ones', async () => {
  const lines = await runCommand('explain', 'checkout', 'ada', '--property', 'plan=basic', '--property', 'age=17')
  expect(lines).toEqual([
    'checkout: true, condition_match',
    'hashed by the distinct id "ada"',
    'condition 0:',
    '  no  plan exact "pro": is "basic"',
    '  rollout: everyone',
    'condition 1: not hashed, no company was given',
    'condition 2, which decides:',
    '  yes age lt 18: is 17',
    '  rollout: everyone',
  ])
})

test('takes the device id of --property, also a number, and not the stored one', async () => {
  const explainDevice = async (...args: string[]): Promise<string | undefined> =>
    (await runCommand('explain', 'by-device', 'ada', ...args))[1]
  expect(await explainDevice()).toMatch(/^not hashed/)
  expect(await explainDevice('--property', '$device_id=42')).toMatch(/^hashed by .*"42"$/)
})

test('reports a missing flag, a missing project and a malformed option', async () => {
  await expect(runCommand('explain', 'gone', 'ada')).rejects.toThrow('There is no flag "gone"')
  await expect(runCommand('explain', 'checkout', 'ada', '--project', '7')).rejects.toThrow('There is no project 7')
  // Makes commander throw instead of printing and ending the process.
  const program = createProgram().exitOverride()
  for (const command of program.commands.flatMap((parent) => [parent, ...parent.commands]))
    command.exitOverride().configureOutput({ writeErr: () => {} })
  await expect(
    program.parseAsync(['flag', 'explain', 'checkout', 'ada', '--group', 'company'], { from: 'user' }),
  ).rejects.toThrow('name=value')
})
