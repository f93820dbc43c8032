import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { USER_ENVIRONMENT } from './user-environment.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-together-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs scripts of a package together. Returns the exit status and the printed lines. */
const runTogether = (scripts: Readonly<Record<string, string>>) => {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }))
  const args = [resolve('test/support/run-together.mjs'), ...Object.keys(scripts)]
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, env: USER_ENVIRONMENT, encoding: 'utf8' })
  return { status, lines: stdout.split('\n').filter((line) => !line.startsWith('>')) }
}

/** A script that waits for another one, which has to run at the same time. */
const WAIT = `node -e "const wait = () => require('fs').existsSync('there') ? console.log('met') : setTimeout(wait, 20); wait()"`
const COME = `node -e "require('fs').writeFileSync('there', '')"`

test('scripts run at the same time', () => {
  const { status, lines } = runTogether({ first: WAIT, second: COME })
  expect(status).toBe(0)
  expect(lines).toContain('met')
})

test('a script that fails is named, after all others have ended', () => {
  const { status, lines } = runTogether({ first: 'echo why >&2; exit 3', second: COME, third: WAIT })
  expect(status).toBe(1)
  expect(lines).toEqual(expect.arrayContaining(['why', '"npm run first" has failed.', 'met']))
})
