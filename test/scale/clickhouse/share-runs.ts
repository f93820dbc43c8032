import { shareRuns } from '../../contract/property-runs.ts'

// An answer takes ten times as long as in DuckDB. `WAYMARK_PROPERTY_SHARE=1` tries as many examples as there.
shareRuns(Number(process.env['WAYMARK_PROPERTY_SHARE'] ?? 0.1))
