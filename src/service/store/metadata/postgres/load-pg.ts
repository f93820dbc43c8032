import { loadOptional } from '../../../load-optional.ts'
import type { PgPackage } from './pg-package.ts'

/** Loads the package pg. Throws `StartError` when it is not installed. */
export const loadPg = async (): Promise<PgPackage['default']> =>
  (await loadOptional<PgPackage>('pg', '--metadata postgres://…')).default
