import { installPackages } from '../../support/install-packages.mjs'

/** The packages of apps: React Native, Expo, their navigation and Jest. Installed once per machine, for all tests that need them. */
export const installAppPackages = (): Promise<string> =>
  installPackages('app', new URL('app-packages.json', import.meta.url))
