import { clickHouseStoreContract } from './store-contract.ts'
import { useClickHouse } from './store-under-test.ts'

clickHouseStoreContract(useClickHouse().create)
