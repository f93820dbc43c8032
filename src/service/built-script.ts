import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { StartError } from './data-folder.ts'

/**
 * The file of a process or thread that the build makes beside this code: in its folder, or, where this is run as TypeScript
 * or from a chunk, in the folder of the build. Throws `StartError` when it is not there.
 */
export const builtScript = (name: 'indexer' | 'body-thread'): string => {
  const places = [`./${name}.js`, `../${name}.js`, `./dist/${name}.js`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const script = places.find((path) => existsSync(path))
  if (script === undefined) throw new StartError(`${name}.js is missing; build the service first (npm run build).`)
  return script
}
