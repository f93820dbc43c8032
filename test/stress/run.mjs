import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.mjs'
import { SERVICE_SCRIPT } from './service.mjs'

/**
 * `npm run stress -- --rounds 100 [--seed 1] [--script main.js]`: ends the service again and again while it takes events
 * in, and compares all that it acknowledged with what it holds. Exit code 0: no difference in any round. 1: there were.
 */

const MOST_SHOWN = 20

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    script: { type: 'string', default: SERVICE_SCRIPT },
  },
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error(`--rounds ${values.rounds}: a whole number from 1 on.`)
if (!Number.isSafeInteger(seed)) throw new Error(`--seed ${values.seed}: a whole number.`)

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const folder = mkdtempSync(join(tmpdir(), 'waymark-stress-'))
console.log(`${rounds} rounds with seed ${seed} in ${folder}`)
const startedAt = Date.now()
const { differences, output, ...totals } = await runCampaign({
  script: values.script,
  folder,
  rounds,
  seed,
  onRound: ({ round, disruptions, events, ms, differences: found }) => {
    const verdict = found.length === 0 ? 'exact' : `${found.length} DIFFERENCES`
    console.log(
      `round ${round}/${rounds}  ${(ms / 1000).toFixed(1)} s  ${events} events  ${verdict}  ${disruptions.join(' | ')}`,
    )
  },
})

console.log(
  `${totals.rounds.length} rounds in ${Math.round((Date.now() - startedAt) / 1000)} s: ${totals.events} events acknowledged, ` +
    `${totals.people} persons, ${totals.merged} distinct ids merged into them`,
)
if (differences.length === 0) {
  rmSync(folder, { recursive: true })
  console.log('Every acknowledged event is stored exactly once; persons, groups and counts are exact.')
} else {
  for (const difference of differences.slice(0, MOST_SHOWN)) console.error(difference)
  console.error(`The service printed last:\n${output}`)
  console.error(
    `FAILED: ${differences.length} differences in round ${totals.rounds.length}, seed ${seed}; data in ${folder}`,
  )
  process.exitCode = 1
}
