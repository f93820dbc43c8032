// `npm pack` and `npm publish` run this first.
import { buildPackageIfChanged } from './build-if-changed.mjs'

buildPackageIfChanged()
