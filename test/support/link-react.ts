import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installPackages } from './install-packages.mjs'

/** Gives an app the newest React, installed once per machine, and its types: `waymark/react` imports it. */
export const linkReact = async (folder: string): Promise<void> => {
  const versions = pathToFileURL(resolve('test/react/react-19-packages.json'))
  const installed = await installPackages('react-19', versions)
  symlinkSync(join(installed, 'node_modules/react'), join(folder, 'node_modules/react'))
  mkdirSync(join(folder, 'node_modules/@types'))
  symlinkSync(resolve('node_modules/@types/react'), join(folder, 'node_modules/@types/react'))
}
