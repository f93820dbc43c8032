import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname

const versionsIn = (file) => {
  if (!existsSync(file)) return null
  const { '': _root, ...packages } = JSON.parse(readFileSync(file, 'utf8')).packages
  return JSON.stringify(Object.entries(packages).map(([path, { version }]) => [path, version]))
}

/** Installs the servers and clients of this folder's package.json, unless the installed ones are those of the lockfile. */
export const installServers = () => {
  const isInstalled =
    versionsIn(join(folder, 'package-lock.json')) === versionsIn(join(folder, 'node_modules/.package-lock.json'))
  if (isInstalled) return
  // Hoisted, as for users: npm passes on the nested strategy of this repository. Not `ci`, which refuses a lockfile without the builds of
  // chDB for other platforms, and not every registry has them.
  const flags = ['--no-save', '--install-strategy=hoisted', '--no-audit', '--no-fund', '--ignore-scripts']
  execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'inherit' })
}
