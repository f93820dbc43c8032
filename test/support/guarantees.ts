import { readFile, writeFile } from 'node:fs/promises'

/** What a cell of the loss matrix has shown. */
export interface Guarantee {
  /** Events that the page captured. */
  readonly captured: number
  /** Rows of them in the service, each event once. */
  readonly stored: number
  /** How often one of them reached the service again, to be recognised there by its uuid. */
  readonly duplicateDeliveries: number
}

/** Cells by name, by the test file that they stand in. */
export type Guarantees = Readonly<Record<string, Readonly<Record<string, Guarantee>>>>

const RESULTS = 'test/journey/guarantees.json'
const README = 'test/bench/README.md'

/** Where the README holds the table: between these two lines. */
const BEGIN = '<!-- guarantees: written by `npm run guarantees` -->'
const END = '<!-- end of guarantees -->'

/** True when this run is to write what it finds into the results and the README. */
export const isWriting: boolean = !!process.env['WAYMARK_WRITE_GUARANTEES']

/** The committed results. */
export const committedGuarantees = async (): Promise<Guarantees> =>
  JSON.parse(await readFile(RESULTS, 'utf8')) as Guarantees

/** Puts the cells of one test file in the place of its earlier ones, in the results and in the README. */
export const writeGuarantees = async (file: string, cells: Readonly<Record<string, Guarantee>>): Promise<void> => {
  const all = Object.entries({ ...(await committedGuarantees()), [file]: cells }).sort(([a], [b]) => (a < b ? -1 : 1))
  const guarantees = Object.fromEntries(all)
  await writeFile(RESULTS, `${JSON.stringify(guarantees, undefined, 2)}\n`)
  const readme = await readFile(README, 'utf8')
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('The README has no place for the guarantees.')
  await writeFile(README, readme.slice(0, begin) + guaranteesTable(guarantees) + readme.slice(end + END.length))
}

/** The results as the README's table. */
export const guaranteesTable = (guarantees: Guarantees): string => {
  const rows = Object.values(guarantees)
    .flatMap((cells) => Object.entries(cells))
    .map(
      ([name, { captured, stored, duplicateDeliveries }]) =>
        `| ${name} | ${captured} | ${stored} | ${duplicateDeliveries} |`,
    )
  const head = ['| what happens | captured | stored | duplicate deliveries |', '| --- | --- | --- | --- |']
  return [BEGIN, '', ...head, ...rows, '', END].join('\n')
}
