import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Installs packages into a temporary folder, once per set of versions. They are not dependencies of this repository, so that nobody who
 * installs it downloads them. Only the named packages have exact versions: a lockfile of what these install would be larger than the tests.
 *
 * @param {string} name Part of the folder's name.
 * @param {URL} versions A JSON file of names and versions, as in `dependencies` of a package.json.
 * @returns {Promise<string>} The folder that contains their `node_modules`.
 */
export const installPackages = async (name, versions) => {
  const pinned = await readFile(versions, 'utf8')
  const hash = createHash('sha1').update(pinned).digest('hex').slice(0, 10)
  const folder = join(tmpdir(), `waymark-bench-${name}-${hash}`)
  if (existsSync(folder)) return folder
  // The folder is renamed when complete, so that an interrupted installation is not used.
  const unfinished = await mkdtemp(`${folder}-`)
  try {
    const manifest = { private: true, dependencies: JSON.parse(pinned) }
    await writeFile(join(unfinished, 'package.json'), JSON.stringify(manifest))
    // Hoisted, as for users: `npm test` passes on the nested strategy of this repository.
    const flags = ['--install-strategy=hoisted', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    execFileSync('npm', ['install', ...flags], { cwd: unfinished, stdio: 'inherit' })
    await rename(unfinished, folder).catch((error) => {
      // Another process has installed them meanwhile.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return folder
}
