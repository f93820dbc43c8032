import type { EventSelection } from '../../../../insight/question/subject.ts'
import type { EventSource } from '../../question/event-source.ts'
import { createEventSource as createSource } from '../../question/event-source.ts'
import { clickHouseEngine } from './clickhouse-engine.ts'

export const createEventSource = (selection: EventSelection): EventSource => createSource(selection, clickHouseEngine)
