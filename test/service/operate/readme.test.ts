import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createProgram } from '../../../src/service/command/program.ts'
import { CONFIG_KEYS } from '../../../src/service/read-config.ts'
import { readOperateFile } from './read-operate-file.ts'

const readme = readOperateFile('README.md')

it('names settings that exist', () => {
  const program = createProgram()
  const known = [program, ...program.commands].flatMap(({ options }) => options.map(({ long }) => long))
  // Those of the service, and not of the programs around it.
  const others = new Set(['--global', '--system', '--now', '--format', '--file', '--clean', '--if-exists', '--dbname'])
  const options = [...readme.matchAll(/(?<=[\s`])--[a-z][a-z-]+/g)].map(([option]) => option)
  expect(options.length).toBeGreaterThan(10)
  for (const option of options.filter((name) => !others.has(name))) expect(known, option).toContain(option)
  const variables = CONFIG_KEYS.map(({ variable }) => variable)
  for (const [variable] of readme.matchAll(/WAYMARK_[A-Z_]+/g)) expect(variables).toContain(variable)
})

it('names every file in its folder, and no other', () => {
  const files = readdirSync('src/service/operate').filter((file) => file !== 'README.md')
  for (const file of files) expect(readme).toContain(file)
  const named = [...readme.matchAll(/(?<=[\s`])[\w-]+\.(?:yaml|cfg|service)(?=[\s`])/g)].map(([file]) => file)
  for (const file of named) expect(files).toContain(file)
})
