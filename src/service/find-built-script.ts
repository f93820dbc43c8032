import { StartError } from './data-folder.ts'
import { findBuilt } from './find-built.ts'

/** Finds the built script of a child process or thread. Throws `StartError` when it is missing. */
export const findBuiltScript = (
  name: 'indexer' | 'body-thread' | 'store-thread' | 'decompression-thread' | 'picture-thread',
): string => {
  const script = findBuilt(`${name}.js`)
  if (script === undefined) throw new StartError(`${name}.js is missing; build the service first (npm run build).`)
  return script
}
