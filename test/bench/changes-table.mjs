import { row, rule, thousands } from './table.mjs'

/** The lines around the table in the README of the service. */
export const CHANGES_BEGIN = '<!-- changes: written by `npm run bench` -->'
export const CHANGES_END = '<!-- end of changes -->'

/**
 * Formats what costs the indexer most for its bytes.
 *
 * @param {any} results The contents of results.json.
 */
export const changesTable = ({ changes: { projects, merges, largePersons } }) => {
  const head = ['of one indexer', 'measured']
  const rows = [
    [`projects that each get one event, ${thousands(projects.projects)} in turn`, `${thousands(projects.perSecond)}/s`],
    [`merges of a person that has ${thousands(merges.ids)} distinct ids`, `${thousands(merges.perSecond)}/s`],
    [
      `changes of one short property of persons that have ${thousands(largePersons.kilobytes)} KB of others`,
      `${thousands(largePersons.perSecond)}/s, each of which writes ${(largePersons.writtenBytesPerChange / 1000).toFixed(1)} KB`,
    ],
  ]
  return [CHANGES_BEGIN, '', row(head), rule(head), ...rows.map(row), '', CHANGES_END].join('\n')
}
