import { describe, expect, it } from 'vitest'
import { describeSqliteFault } from '../../../../src/service/store/sqlite/describe-sqlite-fault.ts'

const compiled = { library: 'lite-20', isCompiled: true, nodeVersion: 'v20.20.2', platform: 'linux-x64' }
const binary = { library: 'lite', isCompiled: false, nodeVersion: 'v24.1.0', platform: 'linux-riscv64' }
const missing = (name: string): Error =>
  Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:\n- x.js`), { code: 'MODULE_NOT_FOUND' })

describe('the reason why SQLite cannot be loaded', () => {
  it('is a build that failed: npm has removed the library', () => {
    const reason = describeSqliteFault(missing('lite-20'), compiled)
    expect(reason).toMatch(/lite-20 is not installed: its build failed.*Install a C\+\+ compiler and Python/)
    expect(reason).not.toContain('rebuild')
  })

  it('is an install script that did not run; pnpm rebuilds by the real name', () => {
    const reason = describeSqliteFault(new Error('Could not locate the bindings file. Tried:\n → build'), compiled)
    expect(reason).toContain('lite-20 has no native part for Node v20.20.2')
    expect(reason).toContain('npm rebuild lite-20 (with pnpm: pnpm approve-builds, then pnpm rebuild better-sqlite3)')
    expect(reason).not.toContain('Tried')
  })

  it('is a library that optional dependencies would have brought', () => {
    expect(describeSqliteFault(missing('lite'), binary)).toBe(
      'The library lite is not installed. Install waymark-service again, with optional dependencies.',
    )
  })

  it('is a platform without a binary', () => {
    expect(describeSqliteFault(missing('/app/lite/build/Release/better_sqlite3.node'), binary)).toMatch(
      /^The library lite cannot be loaded on linux-riscv64 with Node v24\.1\.0: Cannot find module/,
    )
  })
})
