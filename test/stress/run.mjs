import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.mjs'
import { reportHostileSelects } from './hostile/report-hostile.mjs'
import { SERVICE_SCRIPT } from './service.mjs'

/**
 * `npm run stress -- --rounds 100 [--seed 1] [--script main.js]`: kills the service repeatedly under load and compares everything
 * that it acknowledged with what it stored. Exit code 0 means no differences, 1 means differences.
 *
 * `npm run stress -- hostile [--script main.js]`: runs all hostile SELECTs. Exit code 1 means that one had no clear end.
 */

const MAX_SHOWN_DIFFERENCES = 20

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    script: { type: 'string', default: SERVICE_SCRIPT },
  },
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
if (!Number.isSafeInteger(rounds) || rounds < 1)
  throw new Error(`--rounds must be an integer of 1 or more; it is "${values.rounds}".`)
if (!Number.isSafeInteger(seed)) throw new Error(`--seed must be an integer; it is "${values.seed}".`)

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

if (positionals[0] === 'hostile') {
  process.exit(await reportHostileSelects(values.script))
}

const folder = mkdtempSync(join(tmpdir(), 'waymark-stress-'))
console.log(`${rounds} rounds with seed ${seed} in ${folder}`)
const startedAt = Date.now()
const { differences, output, ...totals } = await runCampaign({
  script: values.script,
  folder,
  rounds,
  seed,
  onRound: ({ round, disruptions, eventCount, durationMs, differences: roundDifferences }) => {
    const verdict = roundDifferences.length === 0 ? 'exact' : `${roundDifferences.length} DIFFERENCES`
    console.log(
      `round ${round}/${rounds}  ${(durationMs / 1000).toFixed(1)} s  ${eventCount} events  ${verdict}  ${disruptions.join(' | ')}`,
    )
  },
})

console.log(
  `${totals.rounds.length} rounds in ${Math.round((Date.now() - startedAt) / 1000)} s: ${totals.eventCount} events acknowledged, ` +
    `${totals.queryCount} queries answered, cancelled or left, ${totals.personCount} persons, ${totals.mergedIdCount} distinct ids merged into them`,
)
if (differences.length === 0) {
  rmSync(folder, { recursive: true })
  console.log(
    'Every acknowledged event is stored exactly once; persons, groups, counts and answers to queries are exact.',
  )
} else {
  for (const difference of differences.slice(0, MAX_SHOWN_DIFFERENCES)) console.error(difference)
  console.error(`Last output of the service:\n${output}`)
  console.error(
    `FAILED: ${differences.length} differences in round ${totals.rounds.length}, seed ${seed}; data in ${folder}`,
  )
  process.exitCode = 1
}
