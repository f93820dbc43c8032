import { expect, test } from 'vitest'
import { runCampaign } from '../../stress/campaign.mjs'
import { SERVICE_SCRIPT } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Few, so that a run takes seconds; `npm run stress` goes on for longer, by the same code. */
const ROUNDS = 3

/** Processes start some twenty times, which a busy machine takes its time for. */
const MOST_MS = 180_000

test(
  'has every acknowledged event once, and exact persons and groups, after front and indexer were ended again and again under load',
  async () => {
    const result = await runCampaign({ script: SERVICE_SCRIPT, folder: tempFolder(), rounds: ROUNDS, seed: 7 })
    expect(result.differences, result.output).toEqual([])
    expect(result.rounds).toHaveLength(ROUNDS)
    expect(result.events).toBeGreaterThan(200)
    expect(result.merged).toBeGreaterThan(50)
  },
  MOST_MS,
)
