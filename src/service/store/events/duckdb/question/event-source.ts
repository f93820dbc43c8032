import type { EventSelection } from '../../../../insight/question/subject.ts'
import type { EventSource } from '../../question/event-source.ts'
import { createEventSource as createSource, EVENT_TIME_COLUMN } from '../../question/event-source.ts'
import { duckDbEngine } from './duckdb-engine.ts'

/** SQL for the time of an event in milliseconds since 1970. */
export const EVENT_TIME: string = duckDbEngine.milliseconds(EVENT_TIME_COLUMN)

export const createEventSource = (selection: EventSelection): EventSource => createSource(selection, duckDbEngine)
