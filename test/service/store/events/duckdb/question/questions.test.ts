import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duckDbDraftDialect } from '../../../../../../src/service/draft/draft-dialect.ts'
import { derivePersonId } from '../../../../../../src/service/persons/person-id.ts'
import { openDuckDbStore } from '../../../../../../src/service/store/events/duckdb/open-store.ts'
import { duckDbEngine } from '../../../../../../src/service/store/events/duckdb/question/duckdb-engine.ts'
import { countSessionsContract } from '../../../../../contract/count-sessions.ts'
import { draftSelectContract } from '../../../../../contract/draft-select.ts'
import { actorsContract } from '../../../../../contract/questions/actors.ts'
import { eventsContract } from '../../../../../contract/questions/events.ts'
import { funnelContract } from '../../../../../contract/questions/funnel.ts'
import { lifecycleContract } from '../../../../../contract/questions/lifecycle.ts'
import { retentionContract } from '../../../../../contract/questions/retention.ts'
import { stickinessContract } from '../../../../../contract/questions/stickiness.ts'
import { numberRangeContract } from '../../../../../contract/questions/number-range.ts'
import { longNamesContract } from '../../../../../contract/questions/long-names.ts'
import { namesContract } from '../../../../../contract/questions/names.ts'
import { pathsContract } from '../../../../../contract/questions/paths.ts'
import { trendContract } from '../../../../../contract/questions/trend.ts'
import type { StoreUnderTest } from '../../../../../contract/service-event-store.ts'

const createStore = (): StoreUnderTest => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-questions-'))
  return {
    open: () =>
      openDuckDbStore({
        file: join(folder, '1.duckdb'),
        deriveOriginId: (distinctId) => derivePersonId(1, distinctId),
        memoryMb: 256,
        spillMb: 16,
        threads: 2,
      }),
    cleanUp: () => rmSync(folder, { recursive: true }),
  }
}

trendContract(createStore)
funnelContract(createStore)
retentionContract(createStore)
stickinessContract(createStore)
lifecycleContract(createStore)
pathsContract(createStore)
actorsContract(createStore)
eventsContract(createStore)
namesContract(createStore)
longNamesContract(createStore)
numberRangeContract(createStore)
countSessionsContract(createStore, duckDbEngine)
draftSelectContract(createStore, duckDbDraftDialect)
