import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { USER_ENVIRONMENT } from './user-environment.ts'

/** The built package as `npm pack` packs it, which users install. */
export interface PackedPackage {
  /** Paths of its files. */
  readonly files: readonly string[]
  /** Installs it into the `node_modules` of a folder, and returns where it is. It has no dependencies. */
  installInto(folder: string): string
  remove(): void
}

export const packPackage = (): PackedPackage => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-packed-'))
  // Without `prepack`: after a change of a source, a build would take the programs away from the tests that run.
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    env: USER_ENVIRONMENT,
    encoding: 'utf8',
  })
  const [packed] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }]
  return {
    files: packed.files.map(({ path }) => path),
    installInto(target) {
      const installed = join(target, 'node_modules/waymark')
      mkdirSync(installed, { recursive: true })
      execFileSync('tar', ['-xzf', join(folder, packed.filename), '--strip-components=1', '-C', installed])
      return installed
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
