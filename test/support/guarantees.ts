import { readFile, writeFile } from 'node:fs/promises'

/** The result of one cell of the loss matrix. */
export interface Guarantee {
  /** Events that the page captured. */
  readonly captured: number
  /** Events that the service has stored, each counted once. */
  readonly stored: number
  /** Repeated deliveries of all events together. The service recognises them by uuid and stores them once. */
  readonly duplicateDeliveries: number
}

/** Short name of the test file to the name of each cell to its result. */
export type Guarantees = Readonly<Record<string, Readonly<Record<string, Guarantee>>>>

const RESULTS_FILE = 'test/journey/guarantees.json'
const README_FILE = 'test/bench/README.md'

/** The table of the README stands between these two lines. */
const BEGIN_MARKER = '<!-- guarantees: written by `npm run guarantees` -->'
const END_MARKER = '<!-- end of guarantees -->'

/** True if this run must write its results into the committed file and the README. */
export const shouldWriteGuarantees: boolean = !!process.env['WAYMARK_WRITE_GUARANTEES']

/** Reads the committed results. */
export const readCommittedGuarantees = async (): Promise<Guarantees> =>
  JSON.parse(await readFile(RESULTS_FILE, 'utf8')) as Guarantees

/** Replaces the committed results of one test file, and updates the table in the README. */
export const writeGuarantees = async (file: string, cells: Readonly<Record<string, Guarantee>>): Promise<void> => {
  const sortedEntries = Object.entries({ ...(await readCommittedGuarantees()), [file]: cells }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  const guarantees = Object.fromEntries(sortedEntries)
  await writeFile(RESULTS_FILE, `${JSON.stringify(guarantees, undefined, 2)}\n`)
  const readme = await readFile(README_FILE, 'utf8')
  const [begin, end] = [readme.indexOf(BEGIN_MARKER), readme.indexOf(END_MARKER)]
  if (begin < 0 || end < begin)
    throw new Error(
      `${README_FILE} has no lines "${BEGIN_MARKER}" and "${END_MARKER}"; add them where the table must stand.`,
    )
  await writeFile(
    README_FILE,
    readme.slice(0, begin) + formatGuaranteesTable(guarantees) + readme.slice(end + END_MARKER.length),
  )
}

/** Formats the results as the table of the README, with the markers around it. */
export const formatGuaranteesTable = (guarantees: Guarantees): string => {
  const rows = Object.values(guarantees)
    .flatMap((cells) => Object.entries(cells))
    .map(
      ([name, { captured, stored, duplicateDeliveries }]) =>
        `| ${name} | ${captured} | ${stored} | ${duplicateDeliveries} |`,
    )
  const head = ['| what happens | captured | stored | duplicate deliveries |', '| --- | --- | --- | --- |']
  return [BEGIN_MARKER, '', ...head, ...rows, '', END_MARKER].join('\n')
}
