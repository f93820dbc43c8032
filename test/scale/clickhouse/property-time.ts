/**
 * Longest time of a property test: an answer takes ten times as long as in DuckDB. `WAYMARK_PROPERTY_SECONDS` is for more examples.
 */
export const PROPERTY_TIME_MS: number = Number(process.env['WAYMARK_PROPERTY_SECONDS'] ?? 4) * 1000
