import type { StoreUnderTest } from '../../contract/service-event-store.ts'
import { serviceEventStoreContract } from '../../contract/service-event-store.ts'

/** Tests that a store passes on ClickHouse. */
export const clickHouseStoreContract = (create: () => StoreUnderTest): void =>
  serviceEventStoreContract(create, {
    numbers: (end) => `(SELECT number AS n FROM numbers(${end}))`,
    readProperty: (name) => `JSONExtractString(properties, '${name}')`,
    property: (name) => `nullIf(JSONExtractString(properties, '${name}'), '')`,
    failsLate: "SELECT toInt32(if(number = 900000, 'x', '1')) FROM numbers(1000000)",
    failure: "'x'",
    hash: (expression) => `cityHash64(${expression})`,
    invalid: [],
  })
