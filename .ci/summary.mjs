import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * The end of `.ci/run`: lists each failed test again, because a log of this length may be kept without its beginning, then counts.
 * Usage: `node summary.mjs <folder of Vitest's reports> <name>=<exit status>...`
 */
const [folder, ...suites] = process.argv.slice(2)

const firstLine = (text = '') => text.split('\n', 1)[0]

/** `numPassedTests`, `numFailedTests`, `testResults`: https://vitest.dev/guide/reporters#json-reporter */
const readReport = (name) => {
  const path = join(folder, name)
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    console.log(`The report of "${name}" cannot be read: ${error.message}`)
    return {}
  }
}

/** A line per failed test, and per file that failed without one, such as in a hook. */
const failuresOf = ({ testResults = [] }) =>
  testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && failed.length === 0) return [`${file}: ${firstLine(message)}`]
    return failed.map((test) => `${file} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`)
  })

let passed = 0
let failed = 0
for (const [name, status] of suites.map((suite) => suite.split('='))) {
  const report = readReport(name)
  const failures = failuresOf(report)
  for (const failure of failures) console.log(`FAILED ${failure}`)
  if (status !== '0' && failures.length === 0) console.log(`FAILED ${name}: exit status ${status}, and no test failed`)
  passed += report.numPassedTests ?? 0
  failed += status === '0' ? failures.length : Math.max(failures.length, 1)
}
console.log(`${passed} passed, ${failed} failed`)
