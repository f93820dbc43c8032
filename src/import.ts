export type { ImportOptions, ImportSummary } from './import/import-options.ts'
