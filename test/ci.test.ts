import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

describe('the end of .ci/run', () => {
  let folder: string

  const summary = (...suites: string[]): string[] =>
    spawnSync(process.execPath, ['.ci/summary.mjs', folder, ...suites], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n')

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-ci-'))
    writeFileSync(
      join(folder, 'vitest.config.mjs'),
      "export default { test: { globals: true, include: ['*.check.ts'], reporters: 'json', outputFile: 'unit' } }",
    )
    writeFileSync(
      join(folder, 'one.check.ts'),
      `test('passes', () => {})
       test('fails', () => expect('2\\n3').toBe(1))`,
    )
    writeFileSync(join(folder, 'two.check.ts'), `throw new Error('not loaded')`)
    const vitest = resolve('node_modules/vitest/vitest.mjs')
    const { status } = spawnSync(process.execPath, [vitest, 'run', '--root', folder])
    expect(status).toBe(1)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('lists tests and files that failed, then counts them', () => {
    const path = relative('.', folder)
    expect(summary('unit=1')).toEqual([
      expect.stringContaining(`FAILED ${path}/one.check.ts > fails: AssertionError: expected`),
      `FAILED ${path}/two.check.ts: not loaded`,
      '1 passed, 2 failed',
    ])
  })

  it('counts a suite that failed without a failed test, such as one that did not start', () => {
    expect(summary('scale=2')).toEqual(['FAILED scale: exit status 2, and no test failed', '0 passed, 1 failed'])
  })

  it('says that a report is damaged', () => {
    writeFileSync(join(folder, 'half'), '{')
    expect(summary('half=0')[0]).toContain('The report of "half" cannot be read')
  })
})
