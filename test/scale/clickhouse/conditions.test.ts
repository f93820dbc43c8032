import * as fc from 'fast-check'
import { clickHouseDialect } from '../../../src/service/insight/filter/clickhouse/clickhouse-dialect.ts'
import { filterConditionsContract } from '../../contract/filter-conditions.ts'
import { PROPERTY_TIME_MS } from './property-time.ts'
import { useClickHouse } from './store-under-test.ts'

fc.configureGlobal({ interruptAfterTimeLimit: PROPERTY_TIME_MS, endOnFailure: true })

filterConditionsContract(useClickHouse().create, clickHouseDialect)
