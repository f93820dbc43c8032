import { clickHouseDraftDialect } from '../../../src/service/draft/draft-dialect.ts'
import { clickHouseEngine } from '../../../src/service/store/events/clickhouse/question/clickhouse-engine.ts'
import { countSessionsContract } from '../../contract/count-sessions.ts'
import { draftSelectContract } from '../../contract/draft-select.ts'
import { actorsContract } from '../../contract/questions/actors.ts'
import { eventsContract } from '../../contract/questions/events.ts'
import { funnelContract } from '../../contract/questions/funnel.ts'
import { lifecycleContract } from '../../contract/questions/lifecycle.ts'
import { longNamesContract } from '../../contract/questions/long-names.ts'
import { namesContract } from '../../contract/questions/names.ts'
import { numberRangeContract } from '../../contract/questions/number-range.ts'
import { pathsContract } from '../../contract/questions/paths.ts'
import { retentionContract } from '../../contract/questions/retention.ts'
import { stickinessContract } from '../../contract/questions/stickiness.ts'
import { trendContract } from '../../contract/questions/trend.ts'
import './share-runs.ts'
import { useClickHouse } from './store-under-test.ts'

const { create } = useClickHouse()

trendContract(create)
funnelContract(create)
retentionContract(create)
stickinessContract(create)
lifecycleContract(create)
pathsContract(create, { listsItems: false })
actorsContract(create, { listsItems: false })
eventsContract(create)
namesContract(create)
longNamesContract(create)
numberRangeContract(create)
countSessionsContract(create, clickHouseEngine)
draftSelectContract(create, clickHouseDraftDialect)
