import { existsSync, readFileSync } from 'node:fs'

/** Reads the version from this package's package.json, which is in a folder above the sources or the build. */
export const readVersion = (): string => {
  const candidates = ['../package.json', '../../package.json'].map((path) => new URL(path, import.meta.url))
  const manifest = candidates.find((url) => existsSync(url))
  return manifest === undefined ? 'unknown' : String(JSON.parse(readFileSync(manifest, 'utf8')).version)
}
