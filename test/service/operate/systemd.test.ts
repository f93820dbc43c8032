import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTempFolder } from '../support/temp-folder.ts'
import { checkSettings, namedFiles } from './check-settings.ts'
import { readOperateFile } from './read-operate-file.ts'

const UNIT = 'waymark.service'
const unit = readOperateFile(UNIT)

/** All values of a setting of the unit. */
const valuesOf = (name: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!)

const toPair = (line: string): [string, string] => {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}

const settings = checkSettings(
  Object.fromEntries([
    ...valuesOf('Environment').map(toPair),
    ...readOperateFile('environment')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(toPair),
  ]),
)

it('sets only what the service knows, and reads passwords where systemd puts them', () => {
  const credentials = valuesOf('LoadCredential').map((value) => value.split(':'))
  const files = credentials.map(([name]) => `/run/credentials/${UNIT}/${name}`)
  expect(namedFiles(settings).slice(0, 2)).toEqual(files)
  // Where the README tells to put the files.
  const readme = readOperateFile('README.md')
  for (const [name, path] of credentials) {
    expect(path).toBe(`/etc/waymark/${name}`)
    expect(readme).toContain(name)
  }
  expect(valuesOf('EnvironmentFile')).toEqual(['/etc/waymark/environment'])
})

it('keeps the data in a folder that systemd creates for the user', () => {
  expect(settings.dataFolder).toBe(`/var/lib/${valuesOf('StateDirectory')[0]}`)
})

it('waits longer than the service needs to stop, and starts the command of the package', () => {
  expect(Number(valuesOf('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(settings.stopTimeoutMs)
  const { bin } = JSON.parse(readFileSync('src/service/package.json', 'utf8')) as { bin: object }
  const [path, command] = valuesOf('ExecStart')[0]!.split(' ')
  expect([path!.split('/').at(-1), command]).toEqual([Object.keys(bin)[0], 'serve'])
})

const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0

it.skipIf(!hasAnalyzer)('is a unit that systemd accepts without a warning', () => {
  const folder = createTempFolder()
  const program = join(folder, 'waymark-service')
  writeFileSync(program, '#!/bin/sh\n')
  chmodSync(program, 0o755)
  const path = join(folder, UNIT)
  const verify = (text: string): string => {
    writeFileSync(path, text.replace('/usr/local/bin/waymark-service', program))
    return spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' }).stderr
  }
  const ofUnit = (output: string): readonly string[] => output.split('\n').filter((line) => line.includes(UNIT))
  expect(ofUnit(verify(unit))).toEqual([])
  // The check itself: an unknown setting is a warning.
  expect(ofUnit(verify(unit.replace('KillMode', 'KilMode')))).not.toEqual([])
})
