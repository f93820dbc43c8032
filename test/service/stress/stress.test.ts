import { expect, test } from 'vitest'
import { runCampaign } from '../../stress/campaign.mjs'
import { SERVICE_SCRIPT } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

/** Few rounds, so that a run takes seconds; `npm run stress` runs more rounds of the same code. */
const ROUNDS = 3

/** About twenty process starts, which are slow on a busy machine. Longer than the campaign's own limit of a round, after which it stops its service. */
const TIMEOUT_MS = 400_000

test(
  'stores each event once, with exact persons, and answers queries, while front and indexer are killed',
  async () => {
    const result = await runCampaign({ script: SERVICE_SCRIPT, folder: createTempFolder(), rounds: ROUNDS, seed: 7 })
    expect(result.differences, result.output).toEqual([])
    expect(result.rounds).toHaveLength(ROUNDS)
    expect(result.eventCount).toBeGreaterThan(200)
    expect(result.queryCount).toBeGreaterThan(20)
    expect(result.mergedIdCount).toBeGreaterThan(50)
  },
  TIMEOUT_MS,
)
