import { clickHouseDialect } from '../../../src/service/insight/filter/clickhouse/clickhouse-dialect.ts'
import { filterConditionsContract } from '../../contract/filter-conditions.ts'
import './share-runs.ts'
import { useClickHouse } from './store-under-test.ts'

filterConditionsContract(useClickHouse().create, clickHouseDialect)
