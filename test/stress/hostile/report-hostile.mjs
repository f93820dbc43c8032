import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOSTILE_SELECTS } from './hostile-selects.mjs'
import { isFailure, MAX_UNREPEATED, runHostileSelects } from './run-hostile.mjs'

/** Characters of the service's output that are shown after a failure. */
const MAX_OUTPUT = 20_000

/**
 * Runs all hostile SELECTs and prints how they ended.
 *
 * @param {string} script The built service.
 * @returns {Promise<number>} The exit code: 1 if a SELECT had no clear end, or ended the indexer, twice, or more than `MAX_UNREPEATED` did so once.
 */
export const reportHostileSelects = async (script) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-hostile-'))
  console.log(`${HOSTILE_SELECTS.length} SELECTs in ${folder}`)
  const { outcomes, unrepeated, bystander, output } = await runHostileSelects({
    script,
    folder,
    selects: HOSTILE_SELECTS,
    onOutcome(outcome) {
      if (!isFailure(outcome)) return
      const { name, status, code, ms, peakMb, detail, endedIndexer } = outcome
      console.log(
        `FAILED: ${name}: ${status} ${code} ${detail} ${ms} ms ${peakMb} MB${endedIndexer ? ', ended the indexer' : ''}`,
      )
    },
  })
  rmSync(folder, { recursive: true })
  const counts = new Map()
  for (const { status, code } of outcomes) counts.set(code || status, (counts.get(code || status) ?? 0) + 1)
  const maxOf = (field) => Math.max(...outcomes.map((outcome) => outcome[field]))
  console.log(`Ends: ${[...counts].map(([code, count]) => `${count} ${code}`).join(', ')}`)
  console.log(`Longest query ${maxOf('ms')} ms; most memory of the indexer ${maxOf('peakMb')} MB`)
  for (const { name, detail } of unrepeated) console.log(`Failed, but not when it ran again: ${name}: ${detail}`)
  console.log('Bystander:', bystander)
  const isRefused = outcomes.some(isFailure) || unrepeated.length > MAX_UNREPEATED
  if (isRefused) console.log(`The service wrote:\n${output.slice(-MAX_OUTPUT)}`)
  return isRefused || bystander.problems.length > 0 ? 1 : 0
}
