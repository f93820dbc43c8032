import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Finds a file or folder of the build. It lies beside this code in the build, one folder above a chunk of the build, or in `dist` when this
 * code runs as TypeScript.
 *
 * @returns Its path; undefined when it is missing.
 */
export const findBuilt = (name: string): string | undefined =>
  [`./${name}`, `../${name}`, `./dist/${name}`]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path))
