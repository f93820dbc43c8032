import { register } from 'node:module'

/** Lets the built service find the package pg, as if it were installed beside it. Loaded by `--import`. */
register('./resolve-pg-hook.mjs', import.meta.url)
