import { installPackages } from '../../support/install-packages.mjs'

/** Installs the packages that are measured beside ours, and resolves to the folder that contains their `node_modules`. */
export const installField = () => installPackages('field', new URL('packages.json', import.meta.url))
