import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { StartError } from './data-folder.ts'

/**
 * Finds the built script of a child process or thread. It lies beside this code in the build, one folder above a chunk of
 * the build, or in `dist` when this code runs as TypeScript. Throws `StartError` when the script is missing.
 */
export const findBuiltScript = (
  name: 'indexer' | 'body-thread' | 'store-thread' | 'decompression-thread' | 'picture-thread',
): string => {
  const candidates = [`./${name}.js`, `../${name}.js`, `./dist/${name}.js`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const script = candidates.find((path) => existsSync(path))
  if (script === undefined) throw new StartError(`${name}.js is missing; build the service first (npm run build).`)
  return script
}
