/**
 * The node of metadata in a SQLite file, which only one data folder uses. On PostgreSQL, each data folder has an id of its own
 * (`read-node-id.ts`).
 */
export const ONLY_NODE = ''
