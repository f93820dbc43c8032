import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../data-folder.ts'
import { findBuilt } from '../find-built.ts'
import type { Encoding } from '../http/choose-encoding.ts'

/** A script of the agent that pages load from the service. */
export interface Script {
  /** The file's name, such as `waymark.js`. Its content changes with the version. */
  readonly name: string
  /** The name with a hash of the content, such as `waymark.0123456789abcdef.js`. */
  readonly hashedName: string
  readonly hash: string
  /** The content in each coding. */
  readonly bodies: Readonly<Record<Encoding, Buffer>>
}

/** Reads the agent's scripts, which the build has compressed. Throws `StartError` when they are missing. */
export const readScripts = (): readonly Script[] => {
  const folder = findBuilt('scripts')
  if (folder === undefined)
    throw new StartError('The folder "scripts" is missing; build the service first (npm run build).')
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
  return names.map((name) => readScript(join(folder, name), name))
}

const readScript = (path: string, name: string): Script => {
  const identity = readFileSync(path)
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16)
  return {
    name,
    hashedName: name.replace(/\.js$/, `.${hash}.js`),
    hash,
    bodies: { identity, br: readFileSync(`${path}.br`), gzip: readFileSync(`${path}.gz`) },
  }
}
