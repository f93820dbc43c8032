import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Creates an empty folder for an app, beside the packages. Each run of a test has the same one, because the caches of Jest and Metro know
 * files by their path. Another clone of this repository, whose tests may run at the same time, has another one.
 *
 * @param packages The folder of the packages that the app uses.
 */
export const createAppFolder = (packages: string, name: string): string => {
  const clone = createHash('sha1').update(process.cwd()).digest('hex').slice(0, 10)
  const app = join(packages, `${name}-${clone}`)
  rmSync(app, { recursive: true, force: true })
  mkdirSync(app)
  return app
}
