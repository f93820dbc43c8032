import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duckDbDialect } from '../../../../../src/service/insight/filter/sql/duckdb-dialect.ts'
import { derivePersonId } from '../../../../../src/service/persons/person-id.ts'
import { openDuckDbStore } from '../../../../../src/service/store/events/duckdb/open-store.ts'
import { filterConditionsContract } from '../../../../contract/filter-conditions.ts'

filterConditionsContract(() => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-conditions-'))
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
}, duckDbDialect)
