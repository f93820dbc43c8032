export type { EventLog, EventLogBounds, EventRun } from './port/event-log.ts'
export type { Waymark } from './agent/server/waymark.ts'
export type { DefinitionsLoader, CachedDefinitions, LoadedDefinitions } from './flags/server/definitions-loader.ts'
export type { RequestContexts } from './port/request-context.ts'
