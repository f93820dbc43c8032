import { existsSync, readFileSync } from 'node:fs'

/** The version of this package, from its manifest: above the sources, the build, and a chunk of the build. */
export const version = (): string => {
  const places = ['../package.json', '../../package.json'].map((path) => new URL(path, import.meta.url))
  const manifest = places.find((place) => existsSync(place))
  return manifest === undefined ? 'unknown' : String(JSON.parse(readFileSync(manifest, 'utf8')).version)
}
